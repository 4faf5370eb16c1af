//! Checks of what a volume has beside its own newest content: pages that a clone shows of its parent, and pages that only snapshots have.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

use block::{Buffer, ByteRange, ErrorKind, Host, PAGE};

use super::base::{Base, open_base};
use super::calls::Calls;
use super::content::Content;
use super::error::VolumeError;
use super::load::load_snapshot;
use super::manage::CheckReport;
use super::map::Run;
use super::names::{ObjectKey, VolumeId};
use super::object::Header;
use super::record::VolumeRecord;
use super::scrub::{DamagedObject, Findings, has_all, push_joined};
use super::settings::VolumeSettings;
use super::store::Store;

/// Bytes of one read.
const READ_BYTES: u64 = 4 << 20;

/// Content that was read through a device.
#[derive(Default)]
struct Reading {
    whole: u64,
    /// Bytes of the disk that are lost, by the reason.
    lost: BTreeMap<String, Vec<ByteRange>>,
}

impl Reading {
    /// Returns what is lost of the snapshot below a clone, which has the name of its volume before its own.
    fn damaged(self, name: &str) -> impl Iterator<Item = DamagedObject> {
        let damaged =
            |(reason, ranges)| DamagedObject { name: name.to_owned(), reason, ranges, is_of_snapshot: false };
        self.lost.into_iter().map(damaged)
    }

    /// Reads pages. Those that fail together are read one by one.
    ///
    /// # Errors
    /// If the store fails.
    async fn read(&mut self, base: &dyn Base, pages: Range<u64>) -> Result<(), VolumeError> {
        let mut at = pages.start;
        while at < pages.end {
            let end = pages.end.min(at + READ_BYTES / PAGE);
            if self.read_once(base, at..end, end - at == 1).await? {
                at = end;
                continue;
            }
            for page in at..end {
                self.read_once(base, page..page + 1, true).await?;
            }
            at = end;
        }
        Ok(())
    }

    /// Reads pages at once. Returns false if some of them are lost, which is recorded for a single one.
    async fn read_once(
        &mut self,
        base: &dyn Base,
        pages: Range<u64>,
        is_single: bool,
    ) -> Result<bool, VolumeError> {
        let bytes = (pages.end - pages.start) * PAGE;
        let (_, read) = base.read(pages.start * PAGE, Buffer::zeroed(bytes as usize)).await;
        match read {
            Ok(()) => self.whole += bytes,
            Err(error) if !matches!(error.kind, ErrorKind::Corrupt | ErrorKind::Gone) => {
                return Err(VolumeError::NotRead(error));
            }
            Err(error) => {
                if is_single {
                    let range = ByteRange::at(pages.start * PAGE, bytes);
                    push_joined(self.lost.entry(error.reason).or_default(), range);
                }
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Reads what a clone shows of its parent's snapshot.
///
/// # Errors
/// If the store fails, or the snapshot cannot be opened.
pub(crate) async fn check_inherited<S: Store + Clone, H: Host>(
    calls: &Calls<S, H>,
    record: &VolumeRecord,
    content: &Content,
    report: &mut CheckReport,
) -> Result<(), VolumeError> {
    let settings = VolumeSettings::default();
    let Some(base) = open_base(calls, record, settings).await? else { return Ok(()) };
    let mut reading = Reading::default();
    let all = content.inherited.within(&(0..u64::MAX / PAGE));
    let extents = base.extents(ByteRange::new(0, all.end * PAGE)).await.map_err(VolumeError::NotRead)?;
    for extent in extents.iter().filter(|extent| extent.allocated) {
        let pages = extent.range.start / PAGE..extent.range.end / PAGE;
        let hidden = content.inherited.zeroes(&pages).collect::<Vec<_>>();
        let mut hidden: Vec<_> =
            hidden.into_iter().chain(content.map.runs(pages.clone()).map(|run| run.pages)).collect();
        hidden.sort_by_key(|range| range.start);
        let mut at = pages.start;
        for range in hidden.into_iter().chain(std::iter::once(pages.end..pages.end)) {
            reading.read(base.as_ref(), at..range.start.max(at)).await?;
            at = at.max(range.end);
        }
    }
    report.inherited_bytes = reading.whole;
    let parent = record.parent.as_ref();
    let name = parent.map_or_else(String::new, |parent| format!("{}@{}", parent.name, parent.snapshot));
    report.damaged.extend(reading.damaged(&name));
    Ok(())
}

/// Reads the objects that snapshots need and the newest content does not. Damage counts for what neither that nor the snapshot before has.
/// `findings` has that of the objects of the newest content.
///
/// # Errors
/// If the store fails.
pub(crate) async fn check_snapshots<S: Store, H: Host>(
    calls: &Calls<S, H>,
    (name, volume): (&str, VolumeId),
    content: &Content,
    mut findings: Findings,
    report: &mut CheckReport,
) -> Result<(), VolumeError> {
    let live = content.objects.iter().filter(|(_, info)| info.live > 0);
    let mut examined: HashSet<ObjectKey> = live.map(|(_, info)| info.key).collect();
    let mut before: Option<Content> = None;
    for snapshot in calls.newest_table(volume).await?.snapshots {
        let name = format!("{name}@{}", snapshot.name);
        let read = async {
            let loaded = load_snapshot(calls, volume, snapshot.body()).await?.content;
            for (index, info) in loaded.objects.iter().filter(|(_, info)| info.live > 0) {
                if examined.insert(info.key) {
                    let has_all = |header: &Header| has_all(&loaded, index, header);
                    findings.examine(calls, volume, info.key, has_all).await?;
                }
            }
            Ok(loaded)
        };
        let damaged = match read.await {
            Ok(loaded) => {
                let known = [Some(content), before.as_ref()];
                let is_known = |run: &Run| known.iter().flatten().any(|known| has_run(known, &loaded, run));
                let damaged = findings.damage_of_snapshot((volume, &name), &loaded, is_known);
                let new = loaded.map.runs(0..loaded.bytes.div_ceil(PAGE)).filter(|run| !is_known(run));
                let lost: u64 = damaged.iter().map(DamagedObject::bytes).sum();
                report.snapshot_bytes +=
                    new.map(|run| run.pages.end - run.pages.start).sum::<u64>() * PAGE - lost;
                before = Some(loaded);
                damaged
            }
            Err(error) => {
                let reason = calls.loss(volume, error).await?;
                vec![DamagedObject::snapshot(name, snapshot.bytes, reason)]
            }
        };
        let is_there = damaged.is_empty() || {
            // It may be deleted meanwhile.
            let table = calls.newest_table(volume).await?.snapshots;
            table.iter().any(|found| found.body == snapshot.body && !found.is_going)
        };
        if is_there {
            report.damaged.extend(damaged);
        }
    }
    Ok(())
}

/// Returns true if pages of a snapshot lie in the same places for another content of its volume.
pub(crate) fn has_run(other: &Content, content: &Content, run: &Run) -> bool {
    let key = |content: &Content, page: u64| -> Option<(ObjectKey, u32, u8)> {
        let location = content.map.get(page)?;
        Some((content.objects.get(location.object)?.key, location.offset, location.index))
    };
    run.pages.clone().all(|page| key(other, page) == key(content, page))
}
