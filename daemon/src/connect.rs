//! Lines to copy that connect clients to a disk, over each of its doors.
//!
//! One source for `forebay disk show NAME --connect` and for the pages in `docs/`: a test holds the pages against what is
//! here, and tests with real guests boot with it. It says what to type and why, and neither runs nor checks anything.

use serde::Serialize;
use serde_json::json;

/// How long a guest over NBD waits for a daemon that is being restarted. Without it a restart is an I/O error in the guest.
const RECONNECT_SECONDS: u32 = 60;
/// How often QEMU tries to connect again over vhost-user: its guest waits by so much longer than Forebay takes to be back.
const RECONNECT_MILLIS: u32 = 100;
/// The most bytes of a serial number (virtio 1.2, 5.2.6.1).
const SERIAL_MAX: usize = 20;
/// The most bytes of a node's name in QEMU (`BlockDriverState::node_name`, less the byte that ends it).
const QEMU_ID_MAX: usize = 31;

/// Said once, before all lines over vhost-user.
const VHOST_USER: &str = "\
Over vhost-user, Forebay reads and writes requests and data in the guest's memory itself: no request goes through a socket.
For that all memory of the guest must be shared with it, from the guest's start: share=on of its memory backend.
A running guest gets such a disk by hot-plug only; what it has behind NBD or a file cannot be switched to vhost-user.";
/// Said once, before all lines over NBD.
const NBD: &str = "\
Over NBD, requests and data go through a socket, and a guest's memory can be any. A running guest of QEMU can be switched
to it: forebay vm attach.";

/// Said once, before all lines over TCP.
const NBD_TCP: &str = "\
Over TCP, for clients on other hosts: as over NBD, and slower. Who may connect, nbd.allow and nbd.tls of the daemon say.";
/// Where QEMU's clients have their certificates: as good a place as any, and one that people know.
const TLS_DIR_OF_QEMU: &str = "/etc/pki/qemu";
/// Where libnbd's have theirs.
const TLS_DIR_OF_LIBNBD: &str = "/etc/pki/libnbd";
/// What is said beside lines with certificates.
const TLS_NOTE: &str = "The folder holds ca-cert.pem, and client-cert.pem and client-key.pem if the daemon asks for a certificate.";

/// A disk as clients find it.
pub(crate) struct Doors<'a> {
    /// Its name.
    pub(crate) name: &'a str,
    /// Whether guests may not write to it.
    pub(crate) read_only: bool,
    /// Where it is served over NBD.
    pub(crate) nbd: &'a str,
    /// Where it is served over NBD for other hosts, if it is.
    pub(crate) nbd_uri: Option<&'a str>,
    /// Where it is served over vhost-user.
    pub(crate) vhost_user: &'a str,
}

/// How one client reaches a disk over one door.
#[derive(Debug, Serialize)]
pub(crate) struct Form {
    /// The client.
    pub(crate) client: &'static str,
    /// `vhost-user`, `nbd` or `nbd-tcp`.
    pub(crate) door: Door,
    /// What to know and to change before the lines are used.
    pub(crate) note: &'static str,
    /// What to copy.
    pub(crate) lines: String,
}

/// A way to a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Door {
    VhostUser,
    Nbd,
    NbdTcp,
}

/// For every client that we know to work or to be able to, what to type for a disk.
pub(crate) fn forms(doors: &Doors) -> Vec<Form> {
    let mut forms = over_vhost_user(doors);
    forms.extend(over_nbd(doors));
    forms.extend(doors.nbd_uri.map(|uri| over_tcp(doors, uri)).unwrap_or_default());
    forms
}

/// The same for people.
pub(crate) fn lines(doors: &Doors) -> String {
    let mut text = String::new();
    let mut said = None;
    for Form { client, door, note, lines } in forms(doors) {
        let (about, of_door) = match door {
            Door::VhostUser => (VHOST_USER, ", vhost-user"),
            Door::Nbd => (NBD, ", NBD"),
            Door::NbdTcp => (NBD_TCP, ", NBD over TCP"),
        };
        if said.replace(door) != Some(door) {
            text.push_str(&remark(about));
            text.push('\n');
        }
        text.push_str(&remark(&format!("{client}{of_door}\n{note}")));
        text.push_str(&lines);
        text.push_str("\n\n");
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

fn over_vhost_user(doors: &Doors) -> Vec<Form> {
    let Doors { vhost_user: socket, .. } = *doors;
    let id = qemu_id(doors.name);
    let memory = "memory-backend-memfd,id=shared,share=on,size=";
    let chardev =
        format!("socket,id={id},path={},reconnect-ms={RECONNECT_MILLIS}", socket.replace(',', ",,"));
    let quoted = word(&chardev);
    let device = format!("vhost-user-blk-pci,id={id},chardev={id}");
    let xml_socket = xml_escaped(socket);
    let disk = word(&format!("vhost_user=true,socket={socket}"));
    let form = |client, note, lines| Form { client, door: Door::VhostUser, note, lines };
    vec![
        form(
            "QEMU",
            "1G, twice, is the guest's memory, which all its vhost-user disks share. Each of its processors gets a queue (at most\n\
             128), or as many as num-queues=N says after vhost-user-blk-pci. QEMU before 9.2 knows seconds only: reconnect=1 instead\n\
             of reconnect-ms=100.",
            format!(
                "-m 1G -object {memory}1G -machine memory-backend=shared \\\n-chardev {quoted} \\\n-device {device}"
            ),
        ),
        form(
            "QEMU, hot-plug",
            "For the monitor of a running guest that was started with shared memory. Machine q35 wants the port that it goes into:\n\
             ,bus=ID at the end, of a -device pcie-root-port,id=ID that the guest was started with. QEMU before 9.2 wants reconnect=1.",
            format!("chardev-add {chardev}\ndevice_add {device}"),
        ),
        form(
            "libvirt",
            "Into <domain>, and into its <devices>. Each processor of the guest gets a queue, or as many as queues='N' says in <driver>.\n\
             If the guest was started with such memory, virsh attach-device plugs the <disk> alone.",
            format!(
                "\
<memoryBacking>
  <source type='memfd'/>
  <access mode='shared'/>
</memoryBacking>

<disk type='vhostuser' device='disk' snapshot='no'>
  <driver name='qemu' type='raw'/>
  <source type='unix' path='{xml_socket}'>
    <reconnect enabled='yes' timeout='1'/>
  </source>
  <target dev='vda' bus='virtio'/>
</disk>"
            ),
        ),
        form(
            "Proxmox",
            "100 is the guest, 2048M its memory, as the configuration has it; NUMA and hot-plug of memory must be off. Proxmox does\n\
             not know this disk: no backup, snapshot, migration. What the guest has under args already must be repeated. QEMU before\n\
             9.2 (kvm --version) wants reconnect=1.",
            format!(
                "qm set 100 --args {}",
                shell_quoted(&format!(
                    "-object {memory}2048M -machine memory-backend=shared -chardev {quoted} -device {device},bootindex=1"
                ))
            ),
        ),
        form(
            "Cloud Hypervisor",
            "1G is the guest's memory. num_queues=N after the socket gives it more queues than one. It connects again by itself, for\n\
             a minute.",
            format!("cloud-hypervisor --memory size=1G,shared=on --disk {disk}"),
        ),
    ]
}

fn over_nbd(doors: &Doors) -> Vec<Form> {
    let Doors { name, read_only, nbd: socket, .. } = *doors;
    let id = qemu_id(name);
    let quoted = shell_quoted(socket);
    let uri = format!("nbd+unix:///{name}?socket={}", percent_encoded(socket));
    let uri = shell_quoted(&uri);
    let xml_socket = xml_escaped(socket);
    let mut node = json!({
        "driver": "nbd",
        "node-name": id,
        "server": { "type": "unix", "path": socket },
        "export": name,
        "reconnect-delay": RECONNECT_SECONDS,
    });
    let access = access_of(&mut node, read_only);
    let serial = serial(name);
    let qemu = format!(
        "-blockdev {} -device virtio-blk-pci,drive={id},serial={serial}",
        shell_quoted(&node.to_string())
    );
    let client = format!("nbd-client -unix {quoted} /dev/nbd0 -name {name} -block-size 4096 -persist");
    let form = |client, note, lines| Form { client, door: Door::Nbd, note, lines };
    vec![
        form("QEMU", "The guest waits up to 60 s while Forebay restarts.", qemu.clone()),
        form(
            "libvirt",
            "Into the guest's <devices>. The guest waits up to 60 s while Forebay restarts, if libvirt knows <reconnect delay>. 9.0 and\n\
             older leave it out without a word, and a restart is an I/O error in the guest: take vhost-user there.",
            format!(
                "\
<disk type='network' device='disk'>
  <driver name='qemu' type='raw'{driver}/>
  <source protocol='nbd' name='{name}'>
    <host transport='unix' socket='{xml_socket}'/>
    <reconnect delay='{RECONNECT_SECONDS}'/>
  </source>
  <target dev='vda' bus='virtio'/>{element}
  <serial>{serial}</serial>
</disk>",
                driver = access.driver,
                element = access.element,
            ),
        ),
        form(
            "Proxmox",
            "100 is the guest. Proxmox does not know this disk: no backup, snapshot, migration.",
            format!("qm set 100 --args {}", shell_quoted(&format!("{qemu},bootindex=1"))),
        ),
        form(
            "Cloud Hypervisor",
            "It does not speak NBD: the host's kernel does, and its device is the guest's disk. Load module nbd first.",
            format!("{client}\ncloud-hypervisor --disk path=/dev/nbd0"),
        ),
        form("qemu-img", "", format!("qemu-img info {uri}")),
        form("nbd-client", "Load module nbd first.", client),
        form(
            "fio",
            "",
            format!(
                "fio --name={name} --ioengine=nbd --uri={uri} --rw=randread --bs=4k --iodepth=32 --runtime=10 --time_based"
            ),
        ),
        form("libnbd", "", format!("nbdinfo {uri}\nnbdcopy {uri} {name}.img")),
    ]
}

/// `uri` is one that the daemon has made, of scheme, address with port, and name.
fn over_tcp(doors: &Doors, uri: &str) -> Vec<Form> {
    let Doors { name, read_only, .. } = *doors;
    let (scheme, rest) = uri.split_once("://").unwrap_or(("nbd", uri));
    let authority = rest.split('/').next().unwrap_or(rest);
    let (host, port) = authority.rsplit_once(':').unwrap_or((authority, "10809"));
    let host = host.trim_matches(['[', ']']);
    let with_tls = scheme == "nbds";
    let id = qemu_id(name);
    let credentials = format!("tls-creds-x509,id=tls-{id},dir={TLS_DIR_OF_QEMU},endpoint=client");
    let object = if with_tls { format!("-object {credentials} \\\n") } else { String::new() };
    let mut node = json!({
        "driver": "nbd",
        "node-name": id,
        "server": { "type": "inet", "host": host, "port": port },
        "export": name,
        "reconnect-delay": RECONNECT_SECONDS,
    });
    let mut image = format!("driver=nbd,host={host},port={port},export={name}");
    let mut xml_tls = "";
    let mut query = String::new();
    if with_tls {
        let tls = format!("tls-{id}");
        image = format!("--object {credentials} --image-opts {image},tls-creds={tls}");
        node["tls-creds"] = tls.into();
        xml_tls = " tls='yes'";
        query = format!("?tls-certificates={TLS_DIR_OF_LIBNBD}");
    } else {
        image = format!("--image-opts {image}");
    }
    let access = access_of(&mut node, read_only);
    let serial = serial(name);
    let node = shell_quoted(&node.to_string());
    let uri = shell_quoted(&format!("{uri}{query}"));
    let note = if with_tls { TLS_NOTE } else { "" };
    let form = |client, note, lines| Form { client, door: Door::NbdTcp, note, lines };
    vec![
        form(
            "QEMU",
            note,
            format!("{object}-blockdev {node} -device virtio-blk-pci,drive={id},serial={serial}"),
        ),
        form(
            "libvirt",
            if with_tls {
                "Into the guest's <devices>. Certificates lie where nbd_tls_x509_cert_dir of qemu.conf says."
            } else {
                "Into the guest's <devices>."
            },
            format!(
                "\
<disk type='network' device='disk'>
  <driver name='qemu' type='raw'{driver}/>
  <source protocol='nbd' name='{name}'{xml_tls}>
    <host name='{host}' port='{port}'/>
    <reconnect delay='{RECONNECT_SECONDS}'/>
  </source>
  <target dev='vda' bus='virtio'/>{element}
  <serial>{serial}</serial>
</disk>",
                driver = access.driver,
                element = access.element,
            ),
        ),
        form("qemu-img", note, format!("qemu-img info {image}")),
        form("libnbd", note, format!("nbdinfo {uri}\nnbdcopy {uri} {name}.img")),
    ]
}

/// What libvirt is told of whether a guest may write.
struct Access {
    /// In `<driver>`.
    driver: &'static str,
    /// Beside it.
    element: &'static str,
}

/// Says to QEMU and libvirt whether a guest may write. If it may, its discards go to Forebay: they drop them unless they are told not to.
fn access_of(node: &mut serde_json::Value, read_only: bool) -> Access {
    if read_only {
        node["read-only"] = true.into();
        Access { driver: "", element: "\n  <readonly/>" }
    } else {
        node["discard"] = "unmap".into();
        Access { driver: " discard='unmap'", element: "" }
    }
}

/// What guests see as the serial number of a disk: over NBD what these lines say, and the same over vhost-user, so that it has the same
/// name in `/dev/disk/by-id` over both.
fn serial(name: &str) -> &str {
    &name[..name.len().min(SERIAL_MAX)]
}

/// As comments of a shell, one a line.
fn remark(text: &str) -> String {
    let lines: Vec<&str> = text.trim_end().lines().collect();
    format!("# {}\n", lines.join("\n# "))
}

/// A name that QEMU takes for a node, a character device and a device: it begins with a letter and is short, which names of
/// disks need not be. Two disks have two ids, but for one pair of long names in four billion.
fn qemu_id(name: &str) -> String {
    if name.len() <= QEMU_ID_MAX && name.starts_with(|first: char| first.is_ascii_alphabetic()) {
        return name.to_owned();
    }
    let checksum = crc32c::crc32c(name.as_bytes());
    let start: String = name.chars().take(QEMU_ID_MAX - "disk--00000000".len()).collect();
    format!("disk-{start}-{checksum:08x}")
}

/// As a value in the query of a URI.
fn percent_encoded(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte);
    let encode = |byte: u8| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    text.bytes().map(encode).collect()
}

/// As one word of a shell: as it is if no character of it means anything there.
fn word(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._,=:".contains(&byte);
    if text.bytes().all(plain) { text.to_owned() } else { shell_quoted(text) }
}

/// As one word of a shell.
fn shell_quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// As the value of an attribute in single quotes.
fn xml_escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('\'', "&apos;")
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Doors = Doors {
        name: "web1",
        read_only: false,
        nbd: "/run/forebay/nbd/web1.sock",
        nbd_uri: None,
        vhost_user: "/run/forebay/vhost/web1.sock",
    };

    fn of(doors: &Doors, client: &str, door: Door) -> String {
        let found = forms(doors).into_iter().find(|form| form.client == client && form.door == door);
        found.unwrap_or_else(|| panic!("{client} has no lines over {door:?}")).lines
    }

    #[test]
    fn every_client_is_there_and_guests_wait_for_a_restart() {
        let lines = lines(&PLAIN);
        for part in [
            r#""reconnect-delay":60"#,
            "<reconnect delay='60'/>",
            "socket='/run/forebay/nbd/web1.sock'",
            "'nbd+unix:///web1?socket=/run/forebay/nbd/web1.sock'",
            "\nqemu-img info",
            "\nnbd-client -unix",
            "--ioengine=nbd",
            "\nnbdinfo",
            "\nnbdcopy",
            "share=on",
            "path=/run/forebay/vhost/web1.sock,reconnect-ms=100 ",
            "<access mode='shared'/>",
            "<reconnect enabled='yes' timeout='1'/>",
            "--memory size=1G,shared=on --disk vhost_user=true,socket=/run/forebay/vhost/web1.sock\n",
            "# A running guest gets such a disk by hot-plug only",
        ] {
            assert!(lines.contains(part), "{part} is missing in:\n{lines}");
        }
        for client in ["QEMU", "libvirt", "Proxmox", "Cloud Hypervisor"] {
            for door in [Door::VhostUser, Door::Nbd] {
                assert!(!of(&PLAIN, client, door).is_empty());
            }
        }
        for Form { client, lines, note, .. } in forms(&PLAIN) {
            assert!(
                !lines.contains("reconnect-ms") || note.contains("reconnect=1"),
                "{client}: what older ones want"
            );
        }
        assert!(lines.lines().all(|line| line.len() <= 500 && line.trim_end() == line), "{lines}");
        assert!(lines.ends_with("web1.img\n"), "{lines}");
    }

    #[test]
    fn pages_have_the_very_lines_that_are_printed() {
        let pages = [
            ("QEMU", include_str!("../../docs/qemu.md")),
            ("libvirt", include_str!("../../docs/libvirt.md")),
            ("Proxmox", include_str!("../../docs/proxmox.md")),
            ("Cloud Hypervisor", include_str!("../../docs/cloud-hypervisor.md")),
        ];
        let mut held = 0;
        for form in forms(&PLAIN) {
            let client = form.client.trim_end_matches(", hot-plug");
            let Some((_, page)) = pages.iter().find(|(name, _)| *name == client) else { continue };
            // A part of XML may stand in a block of its own.
            for part in form.lines.split("\n\n") {
                assert!(page.contains(part), "The page of {client} lacks these lines:\n{part}");
            }
            held += 1;
        }
        assert_eq!(held, 9);
    }

    #[test]
    fn over_tcp_there_are_lines_if_it_is_served_there_and_with_certificates_if_they_are_needed() {
        assert!(!lines(&PLAIN).contains("TCP"));
        let clear = Doors { nbd_uri: Some("nbd://[fd00::5]:10809/web1"), ..PLAIN };
        let text = lines(&clear);
        for part in [
            r#""server":{"type":"inet","host":"fd00::5","port":"10809"}"#,
            "<host name='fd00::5' port='10809'/>",
            "nbdinfo 'nbd://[fd00::5]:10809/web1'",
            "--image-opts driver=nbd,host=fd00::5,port=10809,export=web1\n",
        ] {
            assert!(text.contains(part), "{part} is missing in:\n{text}");
        }
        assert!(!text.contains("tls-"), "{text}");
        let page = include_str!("../../docs/nbd-tcp.md");
        let tls = Doors { nbd_uri: Some("nbds://storage1:10809/web1"), ..PLAIN };
        let over_tcp: Vec<Form> = forms(&tls).into_iter().filter(|form| form.door == Door::NbdTcp).collect();
        assert_eq!(over_tcp.len(), 4);
        for form in over_tcp {
            assert!(page.contains(&form.lines), "The page lacks these lines:\n{}", form.lines);
            assert!(form.lines.contains("tls"), "{}", form.lines);
        }
        assert!(lines(&tls).ends_with("web1.img\n"));
    }

    #[test]
    fn odd_paths_stay_one_word_everywhere() {
        let doors = Doors { nbd: "/run/a b&'c/web.sock", vhost_user: "/run/a b&'c,d/v.sock", ..PLAIN };
        let lines = lines(&doors);
        for part in [
            "socket=/run/a%20b%26%27c/web.sock",
            r"-unix '/run/a b&'\''c/web.sock'",
            "socket='/run/a b&amp;&apos;c/web.sock'",
            r"-chardev 'socket,id=web1,path=/run/a b&'\''c,,d/v.sock,reconnect-ms=100' \",
            "path='/run/a b&amp;&apos;c,d/v.sock'",
            r"--disk 'vhost_user=true,socket=/run/a b&'\''c,d/v.sock'",
        ] {
            assert!(lines.contains(part), "{part} is missing in:\n{lines}");
        }
    }

    #[test]
    fn any_name_of_a_disk_makes_ids_that_qemu_takes_and_that_differ() {
        assert_eq!(qemu_id("web-1.root_disk"), "web-1.root_disk");
        let long = "x".repeat(63);
        let names = ["0", "7-of-9", &long[..31], &long[..32], &long[..62], &long];
        let mut ids: Vec<String> = names.iter().map(|name| qemu_id(name)).collect();
        for id in &ids {
            assert!(
                id.len() <= QEMU_ID_MAX && id.starts_with(|first: char| first.is_ascii_lowercase()),
                "{id}"
            );
        }
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), names.len(), "{ids:?}");
        // The disk itself keeps its name.
        let qemu = of(&Doors { name: "7-of-9", ..PLAIN }, "QEMU", Door::Nbd);
        assert!(qemu.contains(r#""export":"7-of-9""#) && qemu.contains("drive=disk-7-of-9-"), "{qemu}");
    }

    #[test]
    fn a_serial_number_is_the_name_as_far_as_it_goes() {
        let name = "x".repeat(63);
        let lines = of(&Doors { name: &name, ..PLAIN }, "QEMU", Door::Nbd);
        assert!(lines.ends_with(&format!(",serial={}", &name[..20])), "{lines}");
    }

    #[test]
    fn what_may_not_be_written_is_opened_for_reading() {
        let parts = [
            ("QEMU", r#""read-only":true"#, r#""discard":"unmap""#),
            ("libvirt", "<readonly/>", "discard='unmap'"),
        ];
        for (client, part, of_writers) in parts {
            let read_only = of(&Doors { read_only: true, ..PLAIN }, client, Door::Nbd);
            assert!(read_only.contains(part) && !read_only.contains(of_writers), "{read_only}");
            let plain = of(&PLAIN, client, Door::Nbd);
            assert!(!plain.contains(part) && plain.contains(of_writers), "{plain}");
        }
    }
}
