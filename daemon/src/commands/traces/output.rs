//! Output of a trace: it is written to a file next to its path, and renamed once it is complete. Never
//! overwrites a file, and never removes one that it did not make.

use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use base::error::{Error, Result};
use trace::{Format, Packer, Packing, Writer};

/// Path and format of a trace that is to be written.
pub(super) struct TraceOutput<'a, R> {
    path: &'a Path,
    new: PathBuf,
    pub(super) format: Format,
    packing: Packing,
    refuse: R,
}

impl<'a, R: Fn(String) -> Error> TraceOutput<'a, R> {
    /// Returns the output to a file that does not exist yet, in the format `to` or in that of its name.
    /// `refuse` makes a problem of a reason.
    ///
    /// # Errors
    /// If the file exists, or the format cannot be written.
    pub(super) fn new(path: &'a Path, to: Option<Format>, refuse: R) -> Result<Self> {
        check_name(path, to).map_err(&refuse)?;
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
        let mut new = path.as_os_str().to_owned();
        new.push(".new");
        Ok(Self { path, new: PathBuf::from(new), format, packing, refuse })
    }

    /// Creates the temporary file.
    ///
    /// # Errors
    /// If the folder cannot be written, or another process writes this trace.
    pub(super) fn create(&self) -> Result<Writer<Packer<BufWriter<File>>>> {
        let file = File::create_new(&self.new).map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => (self.refuse)(format!(
                "{} exists: another process writes this trace, or could not finish it; `forebay trace convert --salvage` takes what is in it, \
                 then remove it",
                self.new.display()
            )),
            _ => (self.refuse)(format!("{error} ({}); name a folder that can be written", self.new.display())),
        })?;
        let begun = Packer::new(BufWriter::new(file), self.packing)
            .and_then(|packer| Writer::new(packer, self.format));
        begun.map_err(|error| {
            self.discard();
            (self.refuse)(format!("{error}; make room, or name another folder"))
        })
    }

    /// Completes the trace and renames its file. If that fails, the temporary file stays.
    ///
    /// # Errors
    /// If it cannot be written, or the target has appeared meanwhile.
    pub(super) fn finish(&self, writer: Writer<Packer<BufWriter<File>>>, dropped: u64) -> Result<()> {
        let ended = writer.finish(dropped).and_then(Packer::finish).and_then(|mut file| {
            file.flush()?;
            file.get_ref().sync_all()?;
            self.give_name()
        });
        ended.map_err(|error| (self.refuse)(format!("{error}; {}", self.left())))
    }

    /// Returns advice about a trace that is not complete.
    pub(super) fn left(&self) -> String {
        let new = self.new.display();
        format!(
            "what there is of it is in {new}, and `forebay trace convert --salvage {new} OTHER` makes a trace of that"
        )
    }

    /// Removes the file that [`Self::create`] made.
    pub(super) fn discard(&self) {
        fs::remove_file(&self.new).unwrap_or(());
    }

    fn give_name(&self) -> io::Result<()> {
        match fs::hard_link(&self.new, self.path) {
            Ok(()) => fs::remove_file(&self.new)?,
            Err(error) if error.kind() == ErrorKind::AlreadyExists => return Err(error),
            // Some file systems have no hard links.
            Err(_) => fs::rename(&self.new, self.path)?,
        }
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
    }
}

/// Checks that a trace can have this name and be written in the format `to`, if that is chosen.
///
/// # Errors
/// If its name is of another format: readers would trust the name.
fn check_name(path: &Path, to: Option<Format>) -> Result<(), String> {
    match (to, Format::of_name(&path.display().to_string())) {
        (Some(to), Some(named)) if to != named => Err(format!(
            "its name is that of {named}, which goes before its content when it is read, and --to says {to}; name it otherwise"
        )),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_is_not_given_the_name_of_another_format() {
        for (name, to) in
            [("a.fbtrace", "msr"), ("a.fbtrace.zst", "msr"), ("a.lis", "forebay"), ("a.ids.gz", "msr")]
        {
            let message = check_name(Path::new(name), to.parse().ok()).expect_err("it is another");
            assert!(message.contains("--to") && message.contains(to), "{message}");
        }
        for (name, to) in [("a.fbtrace", "forebay"), ("a.csv", "forebay"), ("a", "msr"), ("a.csv.gz", "msr")]
        {
            assert_eq!(check_name(Path::new(name), to.parse().ok()), Ok(()), "{name}");
        }
        assert_eq!(check_name(Path::new("a.fbtrace"), None), Ok(()));
    }
}
