//! Hit ratios of traces without I/O: the policy that serves disks, and those of papers to compare it with.
pub mod policies;
pub mod served;
mod workload;
pub use workload::{ACCESSES_MAX, Accesses, Counted, Request, Unfit, Workload};
#[cfg(test)]
mod try_it {
    #[test]
    fn try_it() {
        use crate::served::*; use crate::*; use crate::policies::*;
        let mut x = 1u64;
        let n = std::env::var("N").ok().and_then(|n| n.parse().ok()).unwrap_or(100_000);
        let w = Workload::collect((0..n).map(|_| { x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let u = (x >> 40) as f64 / (1u64<<24) as f64; let b = (u*u*u * 20000.0) as u64; Ok::<_, Unfit>(Request { offset: b * 4096, length: 4096, is_write: x>>60 == 1 }) })).unwrap();
        eprintln!("footprint {}", w.footprint_pages());
        for size in [500u64, 2000, 5000, 10000] { for admission in ["always", "adaptive"] {
            let t = std::time::Instant::now();
            let s = serve(&w, &Serving { admission: admission.parse().unwrap(), ram: RamShare::Twentieth { bytes_max: 32 << 20 }, sequential_cutoff_bytes: 4 << 20, writes: Writes::AsReads }, Counted::Blocks, size * 4096, 4096, &|_| {}).unwrap();
            eprintln!("{:?}", s.counts.named().filter(|x| x.1 > 0).collect::<Vec<_>>()); eprintln!("{size} {admission} miss {:.4} writes {:.4} pages {} of {} index {} {} ns {:?}", 1.0 - s.hits() as f64 / n as f64, s.flash_pages_written() as f64 / n as f64, s.pages, s.division.pages_max(), s.index_bytes, t.elapsed().as_nanos() / n as u128, s.division);
        }
            let a = w.accesses(4096);
            let next = next_uses(&a.blocks, a.distinct);
            for r in Reference::ALL { let t = std::time::Instant::now(); let mut p = r.make(size as usize, a.distinct, &next); let m = a.blocks.iter().filter(|b| p.access(**b) == Access::Miss).count();
              eprintln!("   {r} {:.4} {} ns", m as f64 / n as f64, t.elapsed().as_nanos() / n as u128); }
        }
    }
}
