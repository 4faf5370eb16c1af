//! Stories of scrubs: what only snapshots have, and repairs from elsewhere.

use block::{BlockDevice, Host, PAGE};
use volume::ScrubReport;

use crate::Disk;
use crate::stories::{SECOND, busy, check, open, reopen, settings, story, write};

async fn scrub(disk: &Disk) -> ScrubReport {
    disk.scrub(&mut |_, _| {}, async |_| {}).await.unwrap()
}

/// Damage of an object of the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Harm {
    Content,
    Lost,
    Map,
}

#[test]
fn a_scrub_reads_what_only_a_snapshot_has_and_finds_the_damage_that_a_check_finds() {
    for harm in [Harm::Content, Harm::Lost, Harm::Map] {
        story(async |objects, host| {
            let disk = open(objects, host, busy()).await.unwrap();
            for page in 0..40 {
                write(&disk, page, 100 + page).await.unwrap();
            }
            disk.flush().await.unwrap();
            let of_snapshot = [objects.named("/data/"), objects.named("/copies/")].concat();
            disk.snapshot("one").await.unwrap();
            let parts = objects.named("/map/");
            for round in 1..4 {
                for page in 0..40 {
                    write(&disk, page, 1_000 * round + page).await.unwrap();
                }
                disk.flush().await.unwrap();
                host.sleep(30 * SECOND).await;
            }
            let disk = reopen(disk, objects, host).await.unwrap();
            let report = scrub(&disk).await;
            assert_eq!((report.found.damaged, report.found.whole_bytes), (Vec::new(), 40 * PAGE));
            assert!(report.found.snapshot_bytes >= 40 * PAGE, "{}", report.found.snapshot_bytes);
            let names = objects.names();
            let bad = match harm {
                // The body of the snapshot, and a part with its region.
                Harm::Map => {
                    let parts = parts.into_iter().filter(|name| names.contains(name));
                    parts
                        .filter(|name| name.rsplit('/').next().unwrap().matches('.').count() == 2)
                        .next_back()
                        .unwrap()
                }
                _ => of_snapshot.into_iter().find(|name| names.contains(name)).unwrap(),
            };
            if harm == Harm::Lost {
                objects.remove(&bad);
            } else {
                objects.damage(&bad, objects.bytes_of(&bad).len() - 1);
            }
            let found = scrub(&disk).await.found;
            let [damaged] = &found.damaged[..] else { panic!("{harm:?}: {found:?}") };
            assert_eq!((damaged.name.as_str(), found.whole_bytes), ("disk@one", 40 * PAGE), "{harm:?}");
            assert!(damaged.reason.contains(&bad), "{damaged:?}");
            let checked = check(objects, host).await.unwrap();
            let of_check: Vec<_> =
                checked.damaged.iter().map(|damaged| (&damaged.name, &damaged.ranges)).collect();
            assert_eq!(of_check, [(&damaged.name, &damaged.ranges)], "{harm:?}");
            disk.delete_snapshot("one").await.unwrap();
            assert_eq!(scrub(&disk).await.found.damaged, []);
            drop(open(objects, host, settings()).await.unwrap());
        });
    }
}
