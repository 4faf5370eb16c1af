//! Measures how fast objects are made of what a guest writes, with and without deduplication: 8 MiB and a flush, again and again, into a store
//! in memory.
//!
//! `cargo run --release -p volume --example encode_rate`
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a program for those who measure")]

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;
use std::time::{Duration, Instant};

use block::executor::{Executor, Order, VirtualTime};
use block::{BlockDevice, Buffer, PAGE};
use bytes::Bytes;
use volume::{
    Compression, LIST_NAMES_MAX, Listed, Owner, Store, StoreError, StoreErrorKind, Volume, VolumeOptions,
    VolumeSettings,
};

const LAYER_BYTES: u64 = 8 << 20;
const LAYERS: u64 = 64;

#[derive(Clone, Default)]
struct MemoryStore(Rc<RefCell<BTreeMap<String, Bytes>>>);

impl Store for MemoryStore {
    async fn get(&self, name: &str, range: Option<Range<u64>>) -> Result<Bytes, StoreError> {
        let missing = || StoreError::new(StoreErrorKind::NotFound, name, "there is none");
        let bytes = self.0.borrow().get(name).cloned().ok_or_else(missing)?;
        let end = bytes.len() as u64;
        let range = range.unwrap_or(0..end);
        Ok(bytes.slice(range.start.min(end) as usize..range.end.min(end) as usize))
    }

    async fn create(&self, name: &str, bytes: Bytes) -> Result<(), StoreError> {
        let mut objects = self.0.borrow_mut();
        if objects.contains_key(name) {
            return Err(StoreError::new(StoreErrorKind::Exists, name, "it exists"));
        }
        objects.insert(name.to_owned(), bytes);
        Ok(())
    }

    async fn delete(&self, name: &str) -> Result<(), StoreError> {
        self.0.borrow_mut().remove(name);
        Ok(())
    }

    async fn list(&self, prefix: &str, after: Option<&str>) -> Result<Vec<Listed>, StoreError> {
        let objects = self.0.borrow();
        let listed = objects
            .iter()
            .filter(|(name, _)| name.starts_with(prefix) && after.is_none_or(|after| name.as_str() > after));
        let listed = listed.take(LIST_NAMES_MAX);
        Ok(listed.map(|(name, bytes)| Listed { name: name.clone(), bytes: bytes.len() as u64 }).collect())
    }
}

/// Returns pages of which so many hundredths are one that came before.
fn contents(duplicates: u64) -> Vec<Vec<u8>> {
    let mut state = 0x1234_5678_9abc_def0_u64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut seeds: Vec<u64> = Vec::new();
    let mut layers = Vec::new();
    for _ in 0..LAYERS {
        let mut layer = Vec::with_capacity(LAYER_BYTES as usize);
        for _ in 0..LAYER_BYTES / PAGE {
            let is_known = !seeds.is_empty() && random() % 100 < duplicates;
            let seed = if is_known { seeds[(random() % seeds.len() as u64) as usize] } else { random() };
            seeds.push(seed);
            let mut word = seed;
            for _ in 0..PAGE / 8 {
                word = word.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(31) ^ seed;
                layer.extend(word.to_le_bytes());
            }
        }
        layers.push(layer);
    }
    layers
}

/// Returns the time that the layers take, the bytes that were put, and those that became references.
fn measure(layers: &[Vec<u8>], options: VolumeOptions) -> (Duration, u64, u64) {
    let executor = Executor::new(VirtualTime::new(), Order::Seeded(1));
    let host = executor.host();
    let measured = executor.run(async {
        let store = MemoryStore::default();
        let bytes = LAYERS * LAYER_BYTES;
        volume::create(&store, &host, "disk", bytes, options).await.unwrap();
        let owner = Owner { id: "a".to_owned(), host: "host".to_owned(), after: None };
        let disk =
            Volume::open(store, host.clone(), "disk", &owner, VolumeSettings::default()).await.unwrap();
        let mut took = Duration::ZERO;
        for (at, layer) in layers.iter().enumerate() {
            let buffer = Buffer::copy_of(layer);
            let start = Instant::now();
            disk.write(at as u64 * LAYER_BYTES, buffer).await.1.unwrap();
            disk.flush().await.unwrap();
            took += start.elapsed();
        }
        let statistics = disk.statistics();
        (took, statistics.put_bytes, statistics.deduplicated_bytes)
    });
    measured.unwrap()
}

fn main() {
    let mib = |bytes: u64| bytes >> 20;
    println!("compression  duplicates  deduplicate  MiB/s  MiB put  MiB that refer");
    for duplicates in [0, 50] {
        let layers = contents(duplicates);
        for compression in [Compression::Lz4, Compression::None] {
            for deduplicate in [false, true] {
                let options = VolumeOptions { compression, deduplicate };
                // The best of three: others use the machine too.
                let tries = [0; 3].map(|_| measure(&layers, options));
                let (took, put, refer) = tries.into_iter().min_by_key(|(took, ..)| *took).unwrap();
                let rate = u128::from(mib(LAYERS * LAYER_BYTES)) * 1_000_000 / took.as_micros();
                let (put, refer, compression) = (mib(put), mib(refer), compression.name());
                println!(
                    "{compression:11}  {duplicates:8} %  {deduplicate:11}  {rate:5}  {put:7}  {refer:14}"
                );
            }
        }
    }
}
