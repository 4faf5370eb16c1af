//! Formats of published collections of traces, of lines with a time, a disk and a direction.
//!
//! ```text
//!   spc          disk, sector, bytes, R or W, seconds, ...                        "0,20941264,8192,W,0.551706"
//!   alibaba      device, R or W, offset in bytes, bytes, microseconds             "419,W,8792731648,16384,1577808144360767"
//!   tencent-cbs  seconds, sector, sectors, 1 write or 0 read, volume              "1538323200,12910952,128,0,1063"
//! ```
//! `spc` is that of the Storage Performance Council (SPC trace file format, revision 1.0.1), as the trace repository of the University of
//! Massachusetts has it: fields may follow. `alibaba` is the block traces of Alibaba Cloud (Li et al., IISWC 2020), `tencent-cbs` those of
//! Tencent's block store (Zhang et al., USENIX ATC 2020).

use super::columns::{Columns, Csv};

/// Columns of `spc`.
const SPC: &str = "device,offset512,length,op,time_s,*";
/// Columns of `alibaba`.
const ALIBABA: &str = "device,op,offset,length,time_us";
/// Columns of `tencent-cbs`.
const TENCENT_CBS: &str = "time_s,offset512,length512,is_write,device";

/// Returns a reader of `spc`.
pub(crate) fn spc() -> Csv {
    with_commas(SPC)
}

/// Returns a reader of `alibaba`.
pub(crate) fn alibaba() -> Csv {
    with_commas(ALIBABA)
}

/// Returns a reader of `tencent-cbs`.
pub(crate) fn tencent_cbs() -> Csv {
    with_commas(TENCENT_CBS)
}

/// Lines of other formats have the same fields in another order, with blanks between them.
fn with_commas(columns: &str) -> Csv {
    Csv::with_commas(Columns::parse(columns).expect("columns of a published format"))
}

#[cfg(test)]
mod tests {
    use super::super::Line;
    use super::*;
    use crate::request::{Kind, Request};
    use crate::trace::Record;

    #[test]
    fn a_line_of_spc_is_a_request_whatever_follows() {
        let request = Request {
            at_us: Some(551_706),
            latency_us: None,
            kind: Kind::Write,
            device: 3,
            offset: 20_941_264 * 512,
            length: 8192,
        };
        for line in ["3,20941264,8192,W,0.551706", "3, 20941264, 8192, w, 0.551706, 7"] {
            assert_eq!(spc().parse(line), Ok(Some(Record::Request(request))), "{line}");
        }
        assert_eq!(spc().parse("0,5,0,R,1"), Ok(Some(Record::Other)));
        for line in
            ["0,5,512,R", "0,5,512,F,1", "0,18446744073709551615,512,R,1", "-1,5,512,R,1", "0 5 512 R 1"]
        {
            assert!(spc().parse(line).is_err(), "{line}");
        }
    }

    #[test]
    fn a_line_of_alibaba_is_a_request() {
        let request = Request {
            at_us: Some(1_577_808_144_360_767),
            latency_us: None,
            kind: Kind::Write,
            device: 419,
            offset: 8_792_731_648,
            length: 16384,
        };
        let line = "419,W,8792731648,16384,1577808144360767";
        assert_eq!(alibaba().parse(line), Ok(Some(Record::Request(request))));
        assert_eq!(alibaba().parse("device_id,opcode,offset,length,timestamp"), Ok(None));
        for line in [
            "419,W,8792731648,16384",
            "419,D,0,512,1",
            "4294967296,W,0,512,1",
            "1,R,0,512,1,1",
            "1,R,0,512,-1",
            "1 R 0 512 1",
        ] {
            assert!(alibaba().parse(line).is_err(), "{line}");
        }
    }

    #[test]
    fn a_line_of_tencent_cbs_is_a_request_in_sectors_and_one_writes() {
        let request = Request {
            at_us: Some(1_538_323_200_000_000),
            latency_us: None,
            kind: Kind::Read,
            device: 1063,
            offset: 12_910_952 * 512,
            length: 128 * 512,
        };
        assert_eq!(tencent_cbs().parse("1538323200,12910952,128,0,1063"), Ok(Some(Record::Request(request))));
        let write = Request { kind: Kind::Write, ..request };
        assert_eq!(tencent_cbs().parse("1538323200,12910952,128,1,1063"), Ok(Some(Record::Request(write))));
        assert_eq!(tencent_cbs().parse("Timestamp,Offset,Size,IOType,VolumeID"), Ok(None));
        for line in [
            "1,5,8,2,1",
            "1,5,8,0",
            "1,5,8,0,1,1",
            "1,18446744073709551615,8,0,1",
            "1,5,8388609,0,9999999999",
            // A line of `ssdsim` that has the same kinds of fields.
            "938513000 4 8 1 0",
        ] {
            assert!(tencent_cbs().parse(line).is_err(), "{line}");
        }
    }
}
