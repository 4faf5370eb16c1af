//! Flash hits on a real file: the interface of the cache, without a door, as fio would use the file itself.

use std::cell::Cell;
use std::path::Path;
use std::rc::Rc;
use std::time::{Duration, Instant};

use block::executor::{Executor, Order};
use block::file::{Access, Cache, Lock, OpenOptions};
use block::{FileDevice, Host, Memory, Ring};

use crate::rig::{Rig, random};

const SIZE: u64 = 512 << 20;
/// Bytes that are read: on flash, and much more than RAM holds.
const AREA: u64 = 384 << 20;

/// Does random 4 KiB reads of cached pages, `depth` in flight, for a while.
pub(crate) fn flash_hits(path: &Path, depth: u32, seconds: u64) {
    let ring = Ring::new(256).expect("io_uring is available");
    let executor = Executor::new(ring.clone(), Order::Fifo);
    let host = executor.host();
    executor.run(async {
        if path.exists() {
            std::fs::remove_file(path).expect("the pool's file can be replaced");
        }
        let options =
            OpenOptions { access: Access::ReadWrite, cache: Cache::Direct, lock: Lock::None, create: Some(SIZE) };
        let file = FileDevice::open(&ring, path, options).expect("the pool's file can be made");
        let direct = file.is_direct();
        let rig = Rc::new(Rig::new(host.clone(), file, Memory::new(1 << 40), 4096, 1 << 20).await);
        // RAM evicts pages that flash does not accept in time, so some of them need another pass.
        while rig.disk.statistics().cached_bytes < AREA / 100 * 99 {
            for request in 0..AREA / (64 << 10) {
                rig.read(request * (64 << 10), 64 << 10).await;
                host.sleep(200_000).await;
            }
        }
        let before = rig.disk.statistics().counts;
        let (done, running) = (Rc::new(Cell::new(0u64)), Rc::new(Cell::new(depth)));
        let started = Instant::now();
        for worker in 0..depth {
            let (rig, done, running) = (Rc::clone(&rig), Rc::clone(&done), Rc::clone(&running));
            host.spawn(async move {
                let mut state = u64::from(worker) + 1;
                while started.elapsed() < Duration::from_secs(seconds) {
                    rig.read(random(&mut state) % (AREA / 4096) * 4096, 4096).await;
                    done.set(done.get() + 1);
                }
                running.set(running.get() - 1);
            });
        }
        while running.get() > 0 {
            host.sleep(1_000_000).await;
        }
        let millis = started.elapsed().as_millis().max(1);
        let after = rig.disk.statistics().counts;
        let hits = after.read_hits_flash - before.read_hits_flash;
        println!(
            "{{\"measurement\":\"face\",\"depth\":{depth},\"direct\":{direct},\"iops\":{},\"flash_hits\":{hits},\"reads\":{}}}",
            u128::from(done.get()) * 1000 / millis,
            after.reads - before.reads
        );
    });
}
