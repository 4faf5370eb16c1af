//! Records of traces for tests: those of the reader here, and those of the real process, which include this
//! file.

/// Returns a record of version 1 in the format of `vscsi1`: SCSI command, first sector, length in bytes, and
/// time of arrival in microseconds.
pub(crate) fn record(command: u16, sector: u64, bytes: u32, at_us: u64) -> Vec<u8> {
    let mut record = vec![0; 4];
    record.extend(bytes.to_le_bytes());
    record.extend([0; 4]);
    record.extend(command.to_le_bytes());
    record.extend([0, 1]);
    record.extend(sector.to_le_bytes());
    record.extend(at_us.to_le_bytes());
    record
}
