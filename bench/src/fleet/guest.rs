//! Guests of a volume in a modelled store, through a cache in write-back, and the content that they write.

use std::cell::Cell;
use std::rc::Rc;
use std::thread;

use block::executor::LocalHost;
use block::{Aligned, Buffer};
use cache::{DestageOrder, DiskSettings, Mode, Redundancy};
use volume::{VolumeOptions, VolumeStatistics};
use workload::{Requests, SKEWED, Workload};

use super::store::ModelledStore;
use super::{Disk, GROUP, INSTANT, Kept, Link, MIB, PAGE, flush, new_disk_at, ratio, scaled, write};
use crate::modelled::{Bed, CachePlan, Content, LoadLatencies, SECOND, in_virtual_time};
use crate::rig::random;

/// Requests of guests in flight.
const DEPTH: u32 = 16;
/// Bytes of each of two SSDs. What may be dirty then takes the store longer than its requests.
const SSD: u64 = 1 << 30;

/// Savings that content allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Savings {
    /// Half of each page is random, the rest zeroes; and half of all pages have the content of an earlier one.
    Half,
    /// All is random, and there once.
    None,
}

impl Savings {
    /// Returns content for a disk of so many pages, for each page that it is asked for.
    pub(crate) fn content(self, pages: u64) -> Content {
        let (drawn, number) = (Cell::new(1), Cell::new(0));
        Rc::new(move |bytes: &mut [u8]| {
            for page in bytes.chunks_exact_mut(PAGE as usize) {
                let mut state = drawn.get();
                let is_new = self == Self::None || random(&mut state).is_multiple_of(2) || number.get() == 0;
                let id = if is_new {
                    number.replace(number.get() + 1)
                } else {
                    // As recent as what the disk has, so that much of it is still there.
                    let recent = number.get().min(pages / 2);
                    number.get() - 1 - random(&mut state) % recent
                };
                drawn.set(state);
                set_page(page, id, self);
            }
        })
    }
}

/// Sets the content with this number.
pub(crate) fn set_page(page: &mut [u8], id: u64, savings: Savings) {
    let random_bytes = if savings == Savings::Half { page.len() / 2 } else { page.len() };
    let mut state = id + 1;
    for four in page[..random_bytes].chunks_exact_mut(4) {
        four.copy_from_slice(&(random(&mut state) as u32).to_le_bytes());
    }
}

/// A volume with content, served through a cache on two SSDs.
pub(crate) struct ServedVolume {
    pub(crate) bed: Rc<Bed<Aligned<Disk>>>,
    pub(crate) store: ModelledStore,
}

impl ServedVolume {
    /// Creates a volume of so many bytes, writes all of it, and attaches it to a cache on two SSDs of so many bytes each. The store takes no
    /// time until then, and what `slow_down` makes of it from then on. Objects are as large for its rate as they are for the default one.
    pub(crate) async fn new(
        host: &LocalHost,
        [bytes, ssd_bytes]: [u64; 2],
        rate: u64,
        options: VolumeOptions,
        savings: Savings,
        slow_down: impl FnOnce(&ModelledStore),
    ) -> Self {
        let store = ModelledStore::new(host, INSTANT, Kept::All);
        let disk = new_disk_at(host, &store, bytes, options, rate).await;
        let content = savings.content(bytes / PAGE);
        for at in (0..bytes).step_by(MIB as usize) {
            let mut buffer = Buffer::zeroed(MIB as usize);
            content(&mut buffer);
            write(&disk, at, buffer).await;
            if (at + MIB).is_multiple_of(GROUP) {
                flush(&disk).await;
            }
        }
        flush(&disk).await;
        slow_down(&store);
        let plan = CachePlan::new(ssd_bytes, Mode::WriteBack, PAGE as u32, 2 * MIB);
        let settings = DiskSettings {
            redundancy: Redundancy::None,
            destage_order: DestageOrder::Consistent,
            ..plan.settings
        };
        let plan = CachePlan { ssds: 2, settings, ..plan };
        let bed = Bed::on(host, vec![Aligned::new(disk)], Some(plan), |_| true, Some(content)).await;
        Self { bed: Rc::new(bed), store }
    }

    /// Keeps 16 requests in flight until `count` were sent, or so many nanoseconds have passed.
    pub(crate) async fn load(&self, mut requests: Requests, count: u64, nanos: u64) -> LoadLatencies {
        self.bed.start_closed(DEPTH, count, nanos, move || (0, requests.draw())).finish().await
    }

    /// Returns what the volume did so far.
    pub(crate) fn statistics(&self) -> VolumeStatistics {
        self.bed.backing(0).inner().statistics()
    }
}

/// Measures what a guest has of a volume with each service: random writes as fast as they are taken. All at once, each in a time of its own.
pub(super) fn measure(bytes: u64, seconds: u64, rate: u64) {
    for (name, savings) in [("half to save", Savings::Half), ("nothing to save", Savings::None)] {
        let seen: Vec<(&str, GuestFigures)> = thread::scope(|scope| {
            let running = super::service_options().map(|(services, options)| {
                (services, scope.spawn(move || write_all(options, savings, [bytes, seconds, rate])))
            });
            running.map(|(services, thread)| (services, thread.join().expect("its message is above"))).into()
        });
        let without = seen[0].1.rate;
        for (services, seen) in &seen {
            println!(
                "{{\"measurement\":\"fleet_guest\",\"services\":\"{services}; {name}\",\"store_bytes_per_second\":{rate},\
                 \"written_bytes_per_second\":{:.0},\"of_none\":{:.3},\"mean_nanos\":{:.0},\"deviation_nanos\":{:.0},\
                 \"put_of_destaged\":{:.3},\"copied_of_destaged\":{:.3},\"stored_of_mapped\":{:.3}}}",
                seen.rate,
                seen.rate / without,
                seen.mean_nanos,
                seen.deviation_nanos,
                seen.put_of_destaged,
                seen.copied_of_destaged,
                seen.stored_of_mapped,
            );
        }
    }
}

/// Figures of a guest.
struct GuestFigures {
    /// Bytes a second.
    rate: f64,
    mean_nanos: f64,
    deviation_nanos: f64,
    put_of_destaged: f64,
    copied_of_destaged: f64,
    stored_of_mapped: f64,
}

#[expect(clippy::cast_precision_loss, reason = "a page is far below 2^52")]
fn write_all(options: VolumeOptions, savings: Savings, [bytes, seconds, rate]: [u64; 3]) -> GuestFigures {
    const WRITES: Workload = Workload { read_percent: 0, skew: 0.0, ..SKEWED };
    in_virtual_time(async |host: LocalHost| {
        let slow_down =
            |store: &ModelledStore| store.set_link(Link { bytes_per_second: Some(rate), ..super::SLOW });
        let sizes = [bytes, SSD].map(|full| scaled(full, rate) / MIB * MIB);
        let served = ServedVolume::new(&host, sizes, rate, options, savings, slow_down).await;
        let mut requests = WRITES.requests(sizes[0], 1);
        let warm = served.load(requests.clone(), u64::MAX, seconds / 2 * SECOND).await;
        requests.nth(warm.len());
        let (put, before) = (served.store.put_bytes(), served.statistics());
        let seen = served.load(requests, u64::MAX, seconds * SECOND).await;
        let after = served.statistics();
        let destaged = after.written_bytes - before.written_bytes;
        GuestFigures {
            rate: seen.iops() * PAGE as f64,
            mean_nanos: seen.mean_ms() * 1e6,
            deviation_nanos: seen.deviation_ms() * 1e6,
            put_of_destaged: ratio(served.store.put_bytes() - put, destaged),
            copied_of_destaged: ratio(after.copied_bytes - before.copied_bytes, destaged),
            stored_of_mapped: ratio(after.stored_bytes, after.mapped_bytes),
        }
    })
}

#[cfg(test)]
#[expect(clippy::cast_precision_loss, reason = "counts far below 2^52")]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn half_of_the_pages_have_the_content_of_another_or_none() {
        const PAGES: usize = 4096;
        for (savings, share) in [(Savings::Half, 0.48..0.52), (Savings::None, 1.0..1.01)] {
            let content = savings.content(PAGES as u64);
            let mut different = HashSet::new();
            for _ in 0..PAGES {
                let mut page = vec![0; PAGE as usize];
                content(&mut page);
                different.insert(page);
            }
            let found = different.len() as f64 / PAGES as f64;
            assert!(share.contains(&found), "{savings:?}: {found}");
        }
    }
}
