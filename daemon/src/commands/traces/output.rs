//! A trace that is written: beside its name first, and under it once it is whole.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use trace::{Format, Packer, Packing, Writer};

use crate::problem::{Answer, Problem};

/// Where a trace is to be written, and how.
pub(super) struct Output<'a, R> {
    path: &'a Path,
    new: PathBuf,
    pub(super) format: Format,
    packing: Packing,
    refuse: R,
}

impl<'a, R: Fn(String) -> Problem> Output<'a, R> {
    /// A file that is not there yet, in the format `to` or in that of its name. `refuse` makes a problem of a reason.
    ///
    /// # Errors
    /// If it is there, or in no format that is written.
    pub(super) fn new(path: &'a Path, to: Option<Format>, refuse: R) -> Answer<Self> {
        let name = path.display().to_string();
        let (packing, plain) = Packing::of_name(&name);
        let is_csv = plain.rsplit_once('.').is_some_and(|(_, ending)| ending == "csv");
        let by_name = if is_csv { Some(Format::Msr) } else { Format::of_name(plain) };
        let format = to.or(by_name).filter(|format| Writer::<File>::formats().contains(format));
        let Some(format) = format else {
            let reason = "traces are written as forebay or msr; end its name in .fbtrace or .csv, or say which with --to";
            return Err(refuse(reason.to_owned()));
        };
        if path.try_exists().unwrap_or(true) {
            return Err(refuse("the file exists; remove it, or name another".to_owned()));
        }
        Ok(Self { path, new: PathBuf::from(format!("{name}.new")), format, packing, refuse })
    }

    /// Begins to write.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub(super) fn create(&self) -> Answer<Writer<Packer<BufWriter<File>>>> {
        let created = File::create(&self.new).and_then(|file| {
            let packer = Packer::new(BufWriter::new(file), self.packing)?;
            Writer::new(packer, self.format)
        });
        created.map_err(|error| {
            (self.refuse)(format!("{error} ({}); name a folder that can be written", self.new.display()))
        })
    }

    /// Ends the trace and gives it its name. If that fails, nothing is left.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn finish(&self, writer: Writer<Packer<BufWriter<File>>>, dropped: u64) -> Answer<()> {
        let ended = writer.finish(dropped).and_then(Packer::finish).and_then(|mut file| {
            file.flush()?;
            file.get_ref().sync_all()?;
            fs::rename(&self.new, self.path)
        });
        ended.map_err(|error| {
            self.give_up();
            (self.refuse)(format!("{error}; make room, or name a folder that can be written"))
        })
    }

    /// Removes what is not whole. Should it stay, its name says what it is.
    pub(super) fn give_up(&self) {
        fs::remove_file(&self.new).unwrap_or(());
    }
}
