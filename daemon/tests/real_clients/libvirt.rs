//! The lines for libvirt are valid by its own schema of domains. No guest is started: that needs its daemon.

use std::fs;

use crate::host::Host;
use crate::tools::{run, run_fails};

const MIB: u64 = 1 << 20;
/// Element of a reconnect delay: libvirt 9.0 and older do not have it, and neither does their schema.
const DELAY: &str = "    <reconnect delay='60'/>\n";

#[test]
fn lines_for_libvirt_are_parts_of_a_domain() {
    let host = Host::new();
    let image = host.image("a.img", MIB);
    let daemon = host.serve();
    // A name that needs no escaping, and one that QEMU would not accept as an id.
    for (name, more) in [("web", &[][..]), ("7-of-9", &["--read-only"])] {
        let mut words = vec!["disk", "add", name, "--backing", &image];
        words.extend(more);
        daemon.run(&words).succeeded();
        let document = daemon.json(&["disk", "show", name, "--connect"]);
        let forms = document["connect"]["forms"].as_array().expect("a list");
        let lines = |door: &str| {
            let form = forms.iter().find(|form| form["client"] == "libvirt" && form["door"] == door);
            form.expect("libvirt is a client")["lines"].as_str().expect("it is text").to_owned()
        };
        let shared = lines("vhost-user");
        let (memory, disk) = shared.split_once("\n\n").expect("memory, and the disk");
        let nbd = lines("nbd");
        assert!(nbd.contains(DELAY), "{nbd}");

        let path = host.text("domain.xml");
        let write = |memory: &str, disk: &str| fs::write(&path, domain(memory, disk)).expect("it is ours");
        write(memory, disk);
        run("virt-xml-validate", &[&path, "domain"]);
        write("", &nbd.replace(DELAY, ""));
        run("virt-xml-validate", &[&path, "domain"]);
        // The validator does detect errors.
        write(memory, &disk.replace("vhostuser", "vhostusr"));
        run_fails("virt-xml-validate", &[&path, "domain"]);
        daemon.run(&["disk", "remove", name]).succeeded();
    }
}

fn domain(memory: &str, disk: &str) -> String {
    format!(
        "<domain type='kvm'><name>guest</name><memory unit='MiB'>1024</memory>{memory}\
         <os><type arch='x86_64' machine='q35'>hvm</type></os><devices>{disk}</devices></domain>\n"
    )
}
