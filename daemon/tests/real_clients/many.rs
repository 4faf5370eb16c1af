//! Many disks on one pool.

use crate::host::Host;
use crate::tools::{qemu_io, uri};

const MIB: u64 = 1 << 20;
const DISKS: usize = 64;

#[test]
fn sixty_four_disks_on_a_pool_of_1_gib_keep_their_content_apart() {
    let host = Host::new();
    let daemon = host.serve_with(&["--pool", &host.text("pool.img"), "--pool-size", "1GiB"]);
    let names: Vec<String> = (0..DISKS).map(|number| format!("vm{number:02}")).collect();
    for name in &names {
        let image = host.image(&format!("{name}.img"), 4 * MIB);
        daemon.run(&["disk", "add", name, "--backing", &image]).succeeded();
    }
    let pattern = |number: usize| number + 1;
    for (number, name) in names.iter().enumerate() {
        qemu_io(&uri(&daemon, name), &[&format!("write -P {} 1M 256k", pattern(number)), "flush"]);
    }
    let document = daemon.json(&["disk", "list"]);
    let disks = document["disks"].as_array().expect("a list");
    let listed: Vec<&str> = disks.iter().filter_map(|disk| disk["name"].as_str()).collect();
    assert_eq!(listed, names);
    assert!(disks.iter().all(|disk| disk["state"] == "serving"), "{document}");
    for (number, name) in names.iter().enumerate() {
        let read = format!("read -P {} 1M 256k", pattern(number));
        qemu_io(&uri(&daemon, name), &[&read, "read -P 0 0 1M", "read -P 0 1280k 256k"]);
    }
    let pool = daemon.json(&["pool", "show"])["pool"].clone();
    assert_eq!(pool["disks"], DISKS, "{pool}");
    assert!(daemon.stop().success());
    for (number, name) in names.iter().enumerate() {
        let bytes = crate::host::content(&host.text(&format!("{name}.img")), MIB, 256 << 10);
        assert!(bytes.iter().all(|byte| usize::from(*byte) == pattern(number)), "{name}");
    }
}
