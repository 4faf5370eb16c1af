//! Records of traces, made for tests: those of the reader here, and those of the real process, which include this file.

/// A record of version 1 as `vscsi1` has it: SCSI command, first sector, length in bytes, and when it came in microseconds.
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
