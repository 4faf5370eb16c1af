//! Judgement of a disk that was left: the writers' reports say what has to be on it, and what cannot be.
//!
//! Each writer writes the numbers from 1 on, one after the other, so its last number names a state: T is not before that number was asked for,
//! and not after the next one was reported. A recovery names T in whole seconds. All writers must have one common instant in that second.

use std::collections::BTreeMap;

/// Nanoseconds of a second.
pub(super) const SECOND_NS: u64 = 1_000_000_000;
/// Files that replace each other: number `n` is the content of file `n % FILES`.
pub(super) const FILES: u64 = 16;
/// The writers, as they are called in requests, reports and findings. The last one writes in long forms only.
pub(super) const WRITERS: [&str; 4] = ["wal", "delete", "files", "postgres"];

/// Times of a writer's numbers, in nanoseconds since 1970; the first is that of number 1.
#[derive(Clone, Debug, Default)]
pub(super) struct Times {
    /// Taken before the number was sent.
    pub(super) asked: Vec<u64>,
    /// Taken after the report was read.
    pub(super) reported: Vec<u64>,
}

/// A reason why a disk is not what was promised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// It is the disk as of no time.
    Damaged(String),
    /// It is older than promised.
    Missing(String),
    /// It is newer than the time that it names.
    TooNew(String),
}

/// Findings of the guest that looked at the disk.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Findings {
    /// Messages of mounts, of the kernel and of programs that failed.
    faults: Vec<String>,
    /// Exit status of e2fsck.
    fsck: Option<u8>,
    /// Lines of each database's check of its integrity.
    integrity: BTreeMap<String, Vec<String>>,
    /// Of each database: count, lowest and highest number of its rows, and how many have another content.
    rows: BTreeMap<String, [u64; 4]>,
    /// Number of each file, and whether it is whole.
    files: BTreeMap<u64, (u64, bool)>,
    is_complete: bool,
}

impl Times {
    /// Returns the first and the last instant at which `last` could be the last number.
    fn instants_of(&self, last: u64) -> (u64, u64) {
        let last = last as usize;
        let asked =
            last.checked_sub(1).map_or(0, |before| self.asked.get(before).copied().unwrap_or(u64::MAX));
        (asked, self.reported.get(last).copied().unwrap_or(u64::MAX))
    }

    /// Returns how many numbers were reported before a second since 1970.
    pub(super) fn reported_before(&self, second: u64) -> usize {
        self.reported.iter().filter(|time| **time < second * SECOND_NS).count()
    }
}

impl Findings {
    /// Reads the lines of the guest on one disk.
    pub(super) fn parse(output: &str, disk: &str) -> Self {
        let mut found = Self::default();
        let lines = output.lines().filter_map(|line| line.strip_prefix(disk)?.strip_prefix(' '));
        for line in lines {
            if found.read_line(line).is_none() {
                found.faults.push(line.to_owned());
            }
        }
        found
    }

    fn read_line(&mut self, line: &str) -> Option<()> {
        let (what, rest) = line.split_once(' ').unwrap_or((line, ""));
        let words: Vec<&str> = rest.split(' ').collect();
        match (what.split_once('-').unwrap_or((what, "")), words.as_slice()) {
            (("checked", ""), [""]) => self.is_complete = true,
            (("fsck", ""), [status]) => self.fsck = Some(status.parse().ok()?),
            ((database, "integrity"), _) => {
                self.integrity.entry(database.to_owned()).or_default().push(rest.to_owned());
            }
            ((database, "rows"), numbers) => {
                let numbers: Vec<u64> =
                    numbers.iter().map(|word| word.parse()).collect::<Result<_, _>>().ok()?;
                self.rows.insert(database.to_owned(), numbers.try_into().ok()?);
            }
            (("file", ""), [file, number, whole]) => {
                self.files.insert(file.parse().ok()?, (number.parse().ok()?, *whole == "whole"));
            }
            _ => return None,
        }
        Some(())
    }

    /// Returns everything that is wrong with the disk as of `second`; nothing if it is as promised.
    pub(super) fn judge(&self, times: &[Times], second: u64) -> Vec<Fault> {
        let mut faults: Vec<Fault> = self.faults.iter().cloned().map(Fault::Damaged).collect();
        if !self.is_complete {
            faults.push(Fault::Damaged("the check did not come to its end".to_owned()));
        }
        if self.fsck != Some(0) {
            faults.push(Fault::Damaged(format!("e2fsck -fn ends with {:?}", self.fsck)));
        }
        let (first, end) = (second * SECOND_NS, (second + 1) * SECOND_NS);
        let (mut from, mut to) = (first, end);
        for (writer, times) in WRITERS.iter().zip(times) {
            match self.last(writer) {
                Err(why) => faults.push(Fault::Damaged(format!("{writer}: {why}"))),
                Ok(last) => {
                    let (asked, next) = times.instants_of(last);
                    if asked >= end {
                        faults.push(Fault::TooNew(format!("{writer} has {last}, which was asked for later")));
                    } else if next < first {
                        let reported = times.reported_before(second);
                        faults.push(Fault::Missing(format!(
                            "{writer} has {last} of {reported} that were reported before"
                        )));
                    }
                    (from, to) = (from.max(asked), to.min(next));
                }
            }
        }
        if faults.is_empty() && from > to {
            let last = self.last_of(times.len());
            faults.push(Fault::Damaged(format!("{WRITERS:?} are as of {last:?}, which is no one instant")));
        }
        faults
    }

    /// Returns the last numbers of the first writers, for people.
    pub(super) fn last_of(&self, writers: usize) -> Vec<String> {
        let last = WRITERS[..writers].iter().map(|writer| self.last(writer));
        last.map(|last| last.map_or_else(|_| "?".to_owned(), |last| last.to_string())).collect()
    }

    /// Returns the last number of a writer.
    fn last(&self, writer: &str) -> Result<u64, String> {
        if writer == "files" { self.last_file() } else { self.last_row(writer) }
    }

    /// Returns the last number of a database: its rows are those from 1 on, and each has its content.
    fn last_row(&self, database: &str) -> Result<u64, String> {
        let integrity = self.integrity.get(database).map(Vec::as_slice);
        if integrity != Some(&["ok".to_owned()]) {
            return Err(format!("integrity: {integrity:?}"));
        }
        let [count, first, last, wrong] = *self.rows.get(database).ok_or("its rows cannot be read")?;
        if wrong != 0 {
            return Err(format!("{wrong} rows have another content"));
        }
        if count != last || first != u64::from(count > 0) {
            return Err(format!("{count} rows from {first} to {last}"));
        }
        Ok(last)
    }

    /// Returns the last number of the files: each has the last number up to that which belongs to it.
    fn last_file(&self) -> Result<u64, String> {
        if let Some((file, (number, _))) = self.files.iter().find(|(_, (_, is_whole))| !is_whole) {
            return Err(format!("file {file} is not the whole of number {number}"));
        }
        let found: BTreeMap<u64, u64> =
            self.files.iter().map(|(file, (number, _))| (*file, *number)).collect();
        let last = found.values().copied().max().unwrap_or(0);
        let expected: BTreeMap<u64, u64> =
            (last.saturating_sub(FILES - 1).max(1)..=last).map(|number| (number % FILES, number)).collect();
        if found == expected { Ok(last) } else { Err(format!("files have the numbers {found:?}")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AS_OF: u64 = 100;

    /// Returns times at which number `n` was asked for in the middle of second `n` and reported a second later, for all writers.
    fn times() -> [Times; 3] {
        let middle = |second: u64| second * SECOND_NS + SECOND_NS / 2;
        let times = Times { asked: (1..200).map(middle).collect(), reported: (2..190).map(middle).collect() };
        [times.clone(), times.clone(), times]
    }

    /// Returns the lines of a check, as of number `last`.
    fn lines(last: u64) -> Vec<String> {
        let mut lines = vec!["at-1 fsck 0".to_owned()];
        for database in ["wal", "delete"] {
            lines.push(format!("at-1 {database}-integrity ok"));
            lines.push(format!("at-1 {database}-rows {last} 1 {last} 0"));
        }
        let files = last - FILES + 1..=last;
        lines.extend(files.map(|number| format!("at-1 file {} {number} whole", number % FILES)));
        lines.push("at-1 checked".to_owned());
        lines
    }

    fn judged(lines: &[String]) -> Vec<Fault> {
        Findings::parse(&lines.join("\n"), "at-1").judge(&times(), AS_OF)
    }

    /// Returns the verdict on the lines as of number 99, where one of them is another one.
    fn changed(from: &str, to: &str) -> Vec<Fault> {
        let lines = lines(99);
        assert!(lines.contains(&from.to_owned()), "{lines:?}");
        judged(
            &lines
                .into_iter()
                .map(|line| if line == from { to.to_owned() } else { line })
                .collect::<Vec<_>>(),
        )
    }

    #[test]
    fn a_disk_is_as_promised_between_what_was_reported_before_and_what_was_asked_for() {
        // Number 99 is reported in the second of T, and number 100 is asked for in it.
        for last in [98, 99, 100] {
            assert_eq!(judged(&lines(last)), [], "{last}");
        }
        assert!(matches!(&judged(&lines(97))[..], [Fault::Missing(_), Fault::Missing(_), Fault::Missing(_)]));
        assert!(matches!(&judged(&lines(101))[..], [Fault::TooNew(_), Fault::TooNew(_), Fault::TooNew(_)]));
        assert_eq!(times()[0].reported_before(AS_OF), 98);
        assert_eq!(Times::default().instants_of(0), (0, u64::MAX));
    }

    #[test]
    fn writers_that_are_as_of_different_instants_of_the_second_are_found() {
        let mut times = times();
        // The files had their next number 1 ns before the database was asked for its last one.
        let instant = times[0].asked[99];
        let found = Findings::parse(&lines(100).join("\n"), "at-1");
        times[2].reported[100] = instant;
        assert_eq!(found.judge(&times, AS_OF), []);
        times[2].reported[100] = instant - 1;
        let faults = found.judge(&times, AS_OF);
        assert!(matches!(&faults[..], [Fault::Damaged(_)]), "{faults:?}");
    }

    #[test]
    fn each_damage_is_found() {
        for (from, to) in [
            ("at-1 fsck 0", "at-1 fsck 4"),
            ("at-1 fsck 0", "at-1 fault EXT4-fs error"),
            ("at-1 wal-integrity ok", "at-1 wal-integrity row 3 missing from index by_key"),
            ("at-1 delete-integrity ok", "at-1 fault database disk image is malformed"),
            ("at-1 wal-rows 99 1 99 0", "at-1 wal-rows 98 1 99 0"),
            ("at-1 wal-rows 99 1 99 0", "at-1 wal-rows 98 2 99 0"),
            ("at-1 delete-rows 99 1 99 0", "at-1 delete-rows 99 1 99 1"),
            ("at-1 delete-rows 99 1 99 0", "at-1 fault no such table: rows"),
            ("at-1 file 3 99 whole", "at-1 file 3 99 torn"),
            ("at-1 file 2 98 whole", "at-1 file 2 82 whole"),
            ("at-1 file 2 98 whole", "at-1 file 2  torn"),
            ("at-1 file 2 98 whole", ""),
            ("at-1 checked", ""),
        ] {
            let faults = changed(from, to);
            assert!(matches!(&faults[0], Fault::Damaged(_)), "{to}: {faults:?}");
        }
    }

    #[test]
    fn lines_on_other_disks_are_not_counted() {
        let mut all = lines(99);
        all.extend(lines(50).iter().map(|line| line.replace("at-1", "at-10")));
        all.push("# at-1 Pass 1: Checking inodes".to_owned());
        assert_eq!(judged(&all), []);
        assert!(!Findings::parse(&all.join("\n"), "at-2").is_complete);
    }
}
