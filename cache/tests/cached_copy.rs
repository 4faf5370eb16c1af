//! The cached copy of a page that the backing lost: what the backing had last, and neither more nor less.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::rc::Rc;

use block::executor::{Executor, LocalHost, Order, VirtualTime};
use block::{BlockDevice, Buffer, Memory, PAGE};
use cache::{
    Cache, CachedCopy, DiskId, DiskSettings, Mode, PoolId, RecoveryContext, SessionIds, Shape, format,
};

const SEGMENT: u64 = 128 << 10;
const DISK_BYTES: u64 = 64 << 20;

type Env = (Rc<Memory>, Memory, LocalHost);

fn content(value: u8) -> Buffer {
    Buffer::copy_of(&[value; PAGE as usize])
}

#[test]
fn it_is_what_the_backing_had_last_from_ram_or_flash_and_never_what_is_dirty() {
    let executor = Executor::new(VirtualTime::new(), Order::Seeded(3));
    let host = executor.host();
    executor
        .run(async {
            let (flash, backing) = (Memory::new(132 * SEGMENT), Rc::new(Memory::new(DISK_BYTES)));
            backing.poke(3 * PAGE, &[9; PAGE as usize]);
            let shape = Shape { segment_bytes: SEGMENT, region_bytes: 1 << 20 };
            format(&flash, PoolId([3; 16]), Some(shape)).await.unwrap();
            let marks = SessionIds { new: 1, known: vec![0], epoch: None };
            let pool = Cache::<Env>::open(vec![flash], host.clone(), &marks).await.unwrap().cache;
            let settings = DiskSettings {
                mode: Mode::WriteBack,
                reserve_bytes: pool.usable_bytes() / 2,
                limit_bytes: pool.usable_bytes(),
                ram_bytes: 32 * PAGE,
                block_bytes: PAGE as u32,
                ..DiskSettings::plain(DiskId(1))
            };
            let context = RecoveryContext::none(DISK_BYTES);
            let disk = pool.attach(settings, Rc::clone(&backing), context).await.unwrap();
            disk.loaded().await;
            let copy = async |page| match disk.cached_copy(page).await {
                CachedCopy::Clean(content) => Ok(content[0]),
                CachedCopy::Newer => Err("newer"),
                CachedCopy::Nothing => Err("nothing"),
            };
            assert_eq!(copy(3).await, Err("nothing"));
            disk.read(3 * PAGE, Buffer::zeroed(PAGE as usize)).await.1.unwrap();
            assert_eq!(copy(3).await, Ok(9), "it was read");
            disk.quiesce().await.unwrap();
            disk.resume();
            for page in 10..200 {
                disk.write(page * PAGE, content(page as u8)).await.1.unwrap();
                assert_eq!(copy(page).await, Err("newer"), "page {page}");
            }
            disk.destage_all().await.unwrap();
            disk.resume();
            let pages: Vec<u64> = (10..200).collect();
            let of_flash = pages.iter().filter(|page| {
                let number = cache::types::units::PageNumber(**page);
                disk.has_on_flash(number) && !disk.has_in_ram(number)
            });
            assert!(of_flash.count() > 100, "most are on flash alone");
            for page in pages {
                assert_eq!(copy(page).await, Ok(page as u8), "page {page}");
            }
            // Whatever became of the backing.
            backing.poke(20 * PAGE, &[0; PAGE as usize]);
            assert_eq!(copy(20).await, Ok(20));
            disk.write(20 * PAGE, content(77)).await.1.unwrap();
            assert_eq!(copy(20).await, Err("newer"));
            disk.evict().await.unwrap();
            assert_eq!((copy(20).await, copy(21).await), (Err("nothing"), Err("nothing")));
        })
        .unwrap();
}
