//! Lines to copy that connect clients to a disk, over each of its doors.
//!
//! One source for `forebay disk show NAME --connect` and for the pages in `docs/`: a test compares the pages
//! with these lines, and tests with real guests boot with them. This module generates commands with their
//! reasons, and neither runs nor checks anything.

pub(crate) mod installed;

use base::error::{Error, Result};
use block::SECTOR;
use clap::ValueEnum;
use clap::builder::PossibleValue;
use serde::Serialize;
use serde_json::json;
use utoipa::ToSchema;

use installed::QemuVersion;

/// Seconds that a guest over NBD waits for a daemon that is restarting. Without it a restart is an I/O error
/// in the guest.
const RECONNECT_SECONDS: u32 = 60;
/// Time between QEMU's attempts to connect again over vhost-user: its guest waits up to this much longer than
/// Forebay's restart takes.
const RECONNECT_MILLIS: u32 = 100;
/// The first QEMU that takes milliseconds. Older ones refuse them, and newer ones deprecate seconds.
const RECONNECT_MILLIS_SINCE: QemuVersion = QemuVersion(9, 2);
/// The most bytes of a node's name in QEMU (`BlockDriverState::node_name`, less the byte that ends it).
const QEMU_ID_MAX: usize = 31;

/// Introduction of all lines over vhost-user.
const VHOST_USER: &str = "\
Over vhost-user, Forebay reads and writes requests and data in the guest's memory itself: no request goes through a socket.
For that all memory of the guest must be shared with it, from the guest's start: share=on of its memory backend.
A running guest gets such a disk by hot-plug only; what it has behind NBD or a file cannot be switched to vhost-user.";
/// Introduction of all lines over NBD.
const NBD: &str = "\
Over NBD, requests and data go through a socket, and a guest's memory can be any. A running guest of QEMU can be switched
to it: forebay vm attach.";

/// Introduction of all lines over TCP.
const NBD_TCP: &str = "\
Over TCP, for clients on other hosts: as over NBD, and slower. The daemon's nbd.allow and nbd.tls decide who may connect.";
/// Usual folder of certificates of QEMU's clients.
const TLS_DIR_OF_QEMU: &str = "/etc/pki/qemu";
/// Usual folder of certificates of libnbd's clients.
const TLS_DIR_OF_LIBNBD: &str = "/etc/pki/libnbd";
/// Note next to lines with certificates.
const TLS_NOTE: &str = "The folder holds ca-cert.pem, and client-cert.pem and client-key.pem if the daemon asks for a certificate.";

/// A disk with its addresses for clients.
#[derive(Clone, Copy)]
pub(crate) struct DiskAddresses<'a> {
    /// Its name.
    pub(crate) name: &'a str,
    /// True if guests may not write to it.
    pub(crate) read_only: bool,
    /// The sector that guests are shown, in bytes.
    pub(crate) sector_bytes: u64,
    /// Path of its NBD socket.
    pub(crate) nbd: &'a str,
    /// URI at which it is served over NBD for other hosts, if it is.
    pub(crate) nbd_uri: Option<&'a str>,
    /// Path of its vhost-user socket.
    pub(crate) vhost_user: &'a str,
    /// The QEMU that is installed here, if one was found.
    pub(crate) qemu: Option<QemuVersion>,
}

/// Commands and settings that connect clients to a disk.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Connect {
    /// Name of the disk.
    name: String,
    /// Serial number that guests see.
    serial: String,
    /// One for each client and door.
    forms: Vec<Form>,
}

api::documents! {
    /// Commands and settings that connect clients to a disk.
    ConnectDocument { connect: Connect }
}

impl Connect {
    /// Returns the lines of clients that `is_asked` accepts, for a disk at these doors.
    pub(crate) fn at_doors(doors: &DiskAddresses<'_>, is_asked: impl Fn(&Form) -> bool) -> Self {
        let mut forms = forms(doors);
        forms.retain(is_asked);
        Self { name: doors.name.to_owned(), serial: doors::serial_number(doors.name), forms }
    }
}

/// Lines that connect one client over one door.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ConnectForm)]
pub(crate) struct Form {
    /// Name of the client for `--connect NAME`.
    pub(crate) name: ConnectClient,
    /// Title of the client for people.
    pub(crate) client: &'static str,
    /// `vhost-user`, `nbd` or `nbd-tcp`.
    pub(crate) door: Door,
    /// Prerequisites and changes before the lines are used.
    pub(crate) note: String,
    /// Lines to copy.
    pub(crate) lines: String,
}

/// A door by which clients connect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum, ToSchema)]
#[serde(rename_all = "kebab-case")]
#[schema(as = ConnectDoor)]
pub(crate) enum Door {
    /// Requests and data in the guest's shared memory.
    VhostUser,
    /// A Unix socket.
    Nbd,
    /// TCP, for other hosts.
    NbdTcp,
}

/// A client that `--connect` has lines for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum, ToSchema)]
#[serde(rename_all = "kebab-case")]
#[schema(as = ConnectClient)]
#[allow(clippy::enum_variant_names, reason = "nbd-client is what that program is called")]
pub(crate) enum ConnectClient {
    /// A guest of QEMU, from its start.
    Qemu,
    /// A running guest of QEMU, in its monitor.
    QemuHotplug,
    /// A guest of libvirt.
    Libvirt,
    /// A guest of Proxmox VE.
    Proxmox,
    /// A guest of Cloud Hypervisor.
    CloudHypervisor,
    /// A block device of this host that waits while Forebay restarts.
    QemuNbd,
    /// A block device of this host by the kernel's NBD alone.
    NbdClient,
    /// A measurement with fio.
    Fio,
    /// QEMU's tool for images.
    QemuImg,
    /// nbdinfo and nbdcopy.
    Libnbd,
}

impl ConnectClient {
    /// Returns the title for people.
    fn title(self) -> &'static str {
        match self {
            Self::Qemu => "QEMU",
            Self::QemuHotplug => "QEMU, hot-plug",
            Self::Libvirt => "libvirt",
            Self::Proxmox => "Proxmox",
            Self::CloudHypervisor => "Cloud Hypervisor",
            Self::QemuNbd => "qemu-nbd",
            Self::NbdClient => "nbd-client",
            Self::Fio => "fio",
            Self::QemuImg => "qemu-img",
            Self::Libnbd => "libnbd",
        }
    }

    /// Returns the name for `--connect`.
    fn key(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }
}

impl Door {
    fn title(self) -> &'static str {
        match self {
            Self::VhostUser => "vhost-user",
            Self::Nbd => "NBD",
            Self::NbdTcp => "NBD over TCP",
        }
    }

    fn key(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }

    fn about(self) -> &'static str {
        match self {
            Self::VhostUser => VHOST_USER,
            Self::Nbd => NBD,
            Self::NbdTcp => NBD_TCP,
        }
    }
}

/// Returns the lines for a disk, for every client that works or should work; of each client the recommended
/// door first.
pub(crate) fn forms(doors: &DiskAddresses) -> Vec<Form> {
    let mut forms = over_vhost_user(doors);
    forms.extend(over_nbd(doors));
    forms.extend(doors.nbd_uri.map(|uri| over_tcp(doors, uri)).unwrap_or_default());
    forms
}

/// Returns the lines of one client: over the given door, or the recommended one.
///
/// # Errors
/// If there are no lines for this client over this door; names the doors that it has.
pub(crate) fn answer(doors: &DiskAddresses, client: ConnectClient, door: Option<Door>) -> Result<String> {
    let of_client: Vec<Form> = forms(doors).into_iter().filter(|form| form.name == client).collect();
    let chosen = of_client.iter().position(|form| door.is_none_or(|door| form.door == door));
    let others = |but: Option<Door>| {
        let doors = of_client.iter().map(|form| form.door).filter(|door| Some(*door) != but);
        doors.map(|door| format!("--door {}", door.key())).collect::<Vec<_>>().join(" or ")
    };
    let Some(form) = chosen.map(|at| &of_client[at]) else {
        let wanted = door.map_or("none", Door::title);
        let has = match &*others(None) {
            "" => "is served over NBD on TCP only if the daemon has [nbd] listen".to_owned(),
            others => format!("connects with {others}"),
        };
        return Err(Error::invalid(format!(
            "Cannot show how {} reaches disk '{}' over {wanted}: it {has}",
            client.title(),
            doors.name
        )));
    };
    let mut text = remark(&format!("{} over {}", client.title(), form.door.title()));
    text.push_str(&remark(form.door.about()));
    if !form.note.is_empty() {
        text.push_str(&remark(&form.note));
    }
    let others = others(Some(form.door));
    if !others.is_empty() {
        text.push_str(&remark(&format!("Over another door: {others}")));
    }
    text.push_str(&form.lines);
    text.push('\n');
    Ok(text)
}

/// Returns the known clients, and the lines for QEMU.
///
/// # Errors
/// None that is expected: QEMU has lines over every door.
pub(crate) fn overview(doors: &DiskAddresses) -> Result<String> {
    let mut text = format!(
        "# forebay disk show {} --connect CLIENT has one answer for each of these clients:\n",
        doors.name
    );
    for client in ConnectClient::value_variants() {
        let value = client.to_possible_value();
        let help = value.as_ref().and_then(PossibleValue::get_help).map(ToString::to_string);
        text.extend([format!("#   {:16} {}\n", client.key(), help.unwrap_or_default())]);
    }
    text.extend([format!("# Guests see serial={}\n\n", doors::serial_number(doors.name))]);
    text.push_str(&answer(doors, ConnectClient::Qemu, None)?);
    Ok(text)
}

fn over_vhost_user(doors: &DiskAddresses) -> Vec<Form> {
    let DiskAddresses { vhost_user: socket, qemu, .. } = *doors;
    let id = qemu_id(doors.name);
    let reconnect = reconnect(qemu);
    let memory = "memory-backend-memfd,id=shared,share=on,size=";
    let chardev = format!("socket,id={id},path={},{reconnect}", socket.replace(',', ",,"));
    let quoted = word(&chardev);
    let device = format!("vhost-user-blk-pci,id={id},chardev={id}");
    let xml_socket = xml_escaped(socket);
    let disk = word(&format!("vhost_user=true,socket={socket}"));
    let serial = doors::serial_number(doors.name);
    let form = |name, note: &str, lines| form(name, Door::VhostUser, note, lines);
    let older = older_qemu(qemu);
    vec![
        form(
            ConnectClient::Qemu,
            &format!(
                "1G, twice, is the guest's memory, which all its vhost-user disks share. Each of its processors gets a queue (at\n\
                 most 128), or as many as num-queues=N says after vhost-user-blk-pci. The guest sees serial={serial}.\n{older}"
            ),
            format!(
                "-m 1G -object {memory}1G -machine memory-backend=shared \\\n-chardev {quoted} \\\n-device {device}"
            ),
        ),
        form(
            ConnectClient::QemuHotplug,
            &format!(
                "For the monitor of a running guest that was started with shared memory. Machine q35 wants the port that it goes\n\
                 into: ,bus=ID at the end, of a -device pcie-root-port,id=ID that the guest was started with.\n{older}"
            ),
            format!("chardev-add {chardev}\ndevice_add {device}"),
        ),
        form(
            ConnectClient::Libvirt,
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
            ConnectClient::Proxmox,
            &format!(
                "100 is the guest, 2048M its memory, as the configuration has it; NUMA and hot-plug of memory must be off. Proxmox\n\
                 does not know this disk: no backup, snapshot, migration. What the guest has under args already must be repeated.\n\
                 {older}"
            ),
            format!(
                "qm set 100 --args {}",
                shell_quoted(&format!(
                    "-object {memory}2048M -machine memory-backend=shared -chardev {quoted} -device {device},bootindex=1"
                ))
            ),
        ),
        form(
            ConnectClient::CloudHypervisor,
            "1G is the guest's memory. num_queues=N after the socket gives it more queues than one. It connects again by itself, for\n\
             a minute.",
            format!("cloud-hypervisor --memory size=1G,shared=on --disk {disk}"),
        ),
    ]
}

/// The sector of a disk in options of clients over NBD: they show guests 512 bytes whatever the server
/// reports. Over vhost-user guests read it from the configuration of their device.
struct Sector {
    /// Properties of a virtio-blk device of QEMU.
    properties: String,
    /// Element in a disk of libvirt.
    element: String,
}

impl Sector {
    /// Returns empty options for 512 bytes, which is the default of every client.
    fn from_bytes(bytes: u64) -> Self {
        if bytes == SECTOR {
            return Self { properties: String::new(), element: String::new() };
        }
        Self {
            properties: format!(",logical_block_size={bytes},physical_block_size={bytes}"),
            element: format!("\n  <blockio logical_block_size='{bytes}' physical_block_size='{bytes}'/>"),
        }
    }
}

/// Returns the remark on the line for nbd-client.
fn nbd_client_note(sector_bytes: u64) -> String {
    format!(
        "A restart of Forebay is an I/O error for users of /dev/nbd0: nbd-client (tried: 3.24) does not make the kernel wait.\n\
         --connect qemu-nbd makes such a device that waits. -block-size {sector_bytes} is the sector that partition tables were made for."
    )
}

fn over_nbd(doors: &DiskAddresses) -> Vec<Form> {
    let DiskAddresses { name, read_only, sector_bytes, nbd: socket, .. } = *doors;
    let sector = Sector::from_bytes(sector_bytes);
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
    let serial = doors::serial_number(name);
    let qemu = format!(
        "-blockdev {} -device virtio-blk-pci,drive={id},serial={serial}{}",
        shell_quoted(&node.to_string()),
        sector.properties
    );
    let image = format!(
        "driver=nbd,server.type=unix,server.path={},export={name},reconnect-delay={RECONNECT_SECONDS}",
        socket.replace(',', ",,")
    );
    let may = if read_only { "--read-only" } else { "--discard=unmap" };
    let device = format!(
        "modprobe nbd\nqemu-nbd --connect=/dev/nbd0 --cache=none {may} --image-opts {}",
        word(&image)
    );
    let kernel_only = format!(
        "modprobe nbd\nnbd-client -unix {quoted} /dev/nbd0 -name {name} -block-size {sector_bytes} -persist"
    );
    let form = |name, note: &str, lines| form(name, Door::Nbd, note, lines);
    vec![
        form(ConnectClient::Qemu, "The guest waits up to 60 s while Forebay restarts.", qemu.clone()),
        form(
            ConnectClient::Libvirt,
            "Into the guest's <devices>. The guest waits up to 60 s while Forebay restarts, if libvirt knows <reconnect delay>. 9.0 and\n\
             older drop it silently, and a restart is an I/O error in the guest: take vhost-user there.",
            format!(
                "\
<disk type='network' device='disk'>
  <driver name='qemu' type='raw'{driver}/>
  <source protocol='nbd' name='{name}'>
    <host transport='unix' socket='{xml_socket}'/>
    <reconnect delay='{RECONNECT_SECONDS}'/>
  </source>
  <target dev='vda' bus='virtio'/>{element}{blockio}
  <serial>{serial}</serial>
</disk>",
                driver = access.driver,
                element = access.element,
                blockio = sector.element,
            ),
        ),
        form(
            ConnectClient::Proxmox,
            "100 is the guest. Proxmox does not know this disk: no backup, snapshot, migration.",
            format!("qm set 100 --args {}", shell_quoted(&format!("{qemu},bootindex=1"))),
        ),
        form(
            ConnectClient::CloudHypervisor,
            "It does not speak NBD: qemu-nbd and the host's kernel do, and their device is the guest's disk. The guest waits up to\n\
             60 s while Forebay restarts. qemu-nbd --disconnect /dev/nbd0 ends it.",
            format!("{device}\ncloud-hypervisor --disk path=/dev/nbd0"),
        ),
        form(
            ConnectClient::QemuNbd,
            "/dev/nbd0 is a block device of this host then. Its users wait up to 60 s while Forebay restarts.\n\
             qemu-nbd --disconnect /dev/nbd0 ends it. The package is qemu-utils.",
            device,
        ),
        form(ConnectClient::NbdClient, &nbd_client_note(sector_bytes), kernel_only),
        form(ConnectClient::QemuImg, "", format!("qemu-img info {uri}")),
        form(
            ConnectClient::Fio,
            "Reads for ten seconds, 32 requests at a time. Needs fio with the engine nbd (Debian has it).",
            format!(
                "fio --name={name} --ioengine=nbd --uri={uri} --rw=randread --bs=4k --iodepth=32 --runtime=10 --time_based"
            ),
        ),
        form(ConnectClient::Libnbd, "", format!("nbdinfo {uri}\nnbdcopy {uri} {name}.img")),
    ]
}

/// Returns the lines over TCP. `uri` is from the daemon, of scheme, address with port, and name.
fn over_tcp(doors: &DiskAddresses, uri: &str) -> Vec<Form> {
    let DiskAddresses { name, read_only, sector_bytes, .. } = *doors;
    let sector = Sector::from_bytes(sector_bytes);
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
    let serial = doors::serial_number(name);
    let node = shell_quoted(&node.to_string());
    let uri = shell_quoted(&format!("{uri}{query}"));
    let note = if with_tls { TLS_NOTE } else { "" };
    let form = |name, note: &str, lines| form(name, Door::NbdTcp, note, lines);
    vec![
        form(
            ConnectClient::Qemu,
            note,
            format!(
                "{object}-blockdev {node} -device virtio-blk-pci,drive={id},serial={serial}{}",
                sector.properties
            ),
        ),
        form(
            ConnectClient::Libvirt,
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
  <target dev='vda' bus='virtio'/>{element}{blockio}
  <serial>{serial}</serial>
</disk>",
                driver = access.driver,
                element = access.element,
                blockio = sector.element,
            ),
        ),
        form(ConnectClient::QemuImg, note, format!("qemu-img info {image}")),
        form(ConnectClient::Libnbd, note, format!("nbdinfo {uri}\nnbdcopy {uri} {name}.img")),
    ]
}

/// Settings of libvirt that make a disk writable or read-only.
struct Access {
    /// Attributes of `<driver>`.
    driver: &'static str,
    /// Element next to it.
    element: &'static str,
}

/// Sets in QEMU and libvirt whether a guest may write. If it may, its discards are passed on to Forebay: by
/// default they are dropped.
fn access_of(node: &mut serde_json::Value, read_only: bool) -> Access {
    if read_only {
        node["read-only"] = true.into();
        Access { driver: "", element: "\n  <readonly/>" }
    } else {
        node["discard"] = "unmap".into();
        Access { driver: " discard='unmap'", element: "" }
    }
}

/// Returns a form, its note without trailing whitespace.
fn form(name: ConnectClient, door: Door, note: &str, lines: String) -> Form {
    Form { name, client: name.title(), door, note: note.trim_end().to_owned(), lines }
}

/// Returns QEMU's option for reconnecting: in milliseconds, from 9.2 on, or in seconds.
fn reconnect(qemu: Option<QemuVersion>) -> String {
    match qemu {
        Some(version) if version < RECONNECT_MILLIS_SINCE => "reconnect=1".to_owned(),
        _ => format!("reconnect-ms={RECONNECT_MILLIS}"),
    }
}

/// Returns the note on the version of QEMU that the lines are for.
fn older_qemu(qemu: Option<QemuVersion>) -> String {
    match qemu {
        Some(QemuVersion(major, minor)) => format!("For QEMU {major}.{minor}, which is installed here."),
        None => {
            "No QEMU was found here. One before 9.2 wants reconnect=1 instead of reconnect-ms=100.".to_owned()
        }
    }
}

/// Returns comments of a shell, one a line.
fn remark(text: &str) -> String {
    let lines: Vec<&str> = text.trim_end().lines().collect();
    format!("# {}\n", lines.join("\n# "))
}

/// Returns a name that QEMU accepts for a node, a character device and a device: it begins with a letter and
/// is short, which names of disks need not be. Two disks have two ids, except for one pair of long names in
/// four billion.
fn qemu_id(name: &str) -> String {
    if name.len() <= QEMU_ID_MAX && name.starts_with(|first: char| first.is_ascii_alphabetic()) {
        return name.to_owned();
    }
    let checksum = crc32c::crc32c(name.as_bytes());
    let start: String = name.chars().take(QEMU_ID_MAX - "disk--00000000".len()).collect();
    format!("disk-{start}-{checksum:08x}")
}

/// Encodes a value in the query of a URI.
fn percent_encoded(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte);
    let encode = |byte: u8| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    text.bytes().map(encode).collect()
}

/// Returns one word of a shell, quoted only if a character of it is special there.
fn word(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._,=:".contains(&byte);
    if text.bytes().all(plain) { text.to_owned() } else { shell_quoted(text) }
}

/// Quotes one word of a shell.
fn shell_quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Escapes the value of an attribute in single quotes.
fn xml_escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('\'', "&apos;")
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: DiskAddresses = DiskAddresses {
        name: "web1",
        read_only: false,
        sector_bytes: 512,
        nbd: "/run/forebay/nbd/web1.sock",
        nbd_uri: None,
        vhost_user: "/run/forebay/vhost/web1.sock",
        qemu: None,
    };

    /// Returns the lines of every client over every door.
    fn lines(doors: &DiskAddresses) -> String {
        let answers = forms(doors).into_iter().map(|form| answer(doors, form.name, Some(form.door)));
        answers.map(|answer| answer.expect("each form is an answer")).collect()
    }

    fn of(doors: &DiskAddresses, client: &str, door: Door) -> String {
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
        assert!(lines.lines().all(|line| line.len() <= 500 && line.trim_end() == line), "{lines}");
        assert!(lines.ends_with("web1.img\n"), "{lines}");
    }

    #[test]
    fn the_lines_are_for_the_qemu_that_is_installed() {
        let with = |qemu| forms(&DiskAddresses { qemu, ..PLAIN });
        for Form { client, lines, note, .. } in with(None) {
            let says = note.contains("reconnect=1");
            assert!(!lines.contains("reconnect-ms") || says, "{client}: what older ones want");
        }
        for (version, part, not) in [
            (QemuVersion(7, 2), "reconnect=1", "reconnect-ms"),
            (QemuVersion(9, 1), "reconnect=1", "reconnect-ms"),
            (QemuVersion(9, 2), "reconnect-ms=100", "reconnect=1"),
            (QemuVersion(10, 0), "reconnect-ms=100", "reconnect=1"),
        ] {
            let of_qemu =
                with(Some(version)).into_iter().filter(|form| form.lines.contains("vhost-user-blk-pci"));
            let of_qemu: Vec<Form> = of_qemu.collect();
            assert_eq!(of_qemu.len(), 3, "QEMU, its monitor, Proxmox");
            for Form { lines, note, .. } in of_qemu {
                assert!(lines.contains(part) && !lines.contains(not), "{version:?}: {lines}");
                assert!(!note.contains("reconnect"), "{note}");
            }
        }
    }

    #[test]
    fn one_client_that_is_asked_for_gets_one_answer() {
        for client in ConnectClient::value_variants() {
            let text = answer(&PLAIN, *client, None).expect("each has one");
            let remarks = text.lines().take_while(|line| line.starts_with('#')).count();
            let lines: Vec<&str> = text.lines().skip(remarks).collect();
            assert!(!lines.is_empty() && lines.iter().all(|line| !line.starts_with('#')), "{text}");
            let first = forms(&PLAIN).into_iter().find(|form| form.name == *client).expect("it has lines");
            assert_eq!(lines.join("\n"), first.lines, "{client:?}");
        }
        let nbd = answer(&PLAIN, ConnectClient::Qemu, Some(Door::Nbd)).expect("it knows NBD");
        assert!(nbd.contains("-blockdev") && nbd.contains("--door vhost-user"), "{nbd}");
        let refused = answer(&PLAIN, ConnectClient::Fio, Some(Door::VhostUser))
            .expect_err("fio has no memory to share");
        assert!(refused.message.contains("--door nbd"), "{refused}");
        let all = overview(&PLAIN).expect("QEMU has lines");
        for client in ConnectClient::value_variants() {
            assert!(all.contains(&format!("#   {} ", client.key())), "{all}");
        }
        assert!(all.contains("serial=web1\n") && all.lines().count() < 30, "{all}");
    }

    #[test]
    fn a_block_device_of_the_host_has_sectors_of_512_bytes_and_waits_for_a_restart() {
        let device = of(&PLAIN, "qemu-nbd", Door::Nbd);
        assert!(device.contains("reconnect-delay=60") && device.contains("--discard=unmap"), "{device}");
        assert!(of(&PLAIN, "Cloud Hypervisor", Door::Nbd).starts_with(&device));
        let kernel = of(&PLAIN, "nbd-client", Door::Nbd);
        assert!(kernel.contains("-block-size 512"), "{kernel}");
    }

    #[test]
    fn sectors_of_4096_bytes_are_said_to_whoever_would_take_them_for_512() {
        let sectors = |sector_bytes| {
            let doors = DiskAddresses { sector_bytes, nbd_uri: Some("nbd://host:10809/web1"), ..PLAIN };
            forms(&doors).into_iter().map(move |form| (form.name, form.door, form.note, form.lines))
        };
        for ((client, door, _, plain), (_, _, note, lines)) in sectors(512).zip(sectors(4096)) {
            assert!(!plain.contains("block_size"), "{plain}");
            let part = match (client, door) {
                // The guest reads it from the configuration of its device.
                (_, Door::VhostUser) => "",
                (ConnectClient::Qemu | ConnectClient::Proxmox, _) => {
                    ",logical_block_size=4096,physical_block_size=4096"
                }
                (ConnectClient::Libvirt, _) => {
                    "<blockio logical_block_size='4096' physical_block_size='4096'/>"
                }
                (ConnectClient::NbdClient, _) => "-block-size 4096",
                // Requests of whole sectors.
                (ConnectClient::Fio, _) => "--bs=4k",
                // These ask the server.
                _ => "",
            };
            assert!(lines.contains(part), "{client:?}: {lines}");
            assert_eq!(lines == plain, ["", "--bs=4k"].contains(&part), "{client:?}: {lines}");
            assert!(!note.contains("512"), "{note}");
        }
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
            // A part of XML may be a block of its own.
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
        let clear = DiskAddresses { nbd_uri: Some("nbd://[fd00::5]:10809/web1"), ..PLAIN };
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
        let tls = DiskAddresses { nbd_uri: Some("nbds://storage1:10809/web1"), ..PLAIN };
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
        let doors =
            DiskAddresses { nbd: "/run/a b&'c/web.sock", vhost_user: "/run/a b&'c,d/v.sock", ..PLAIN };
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
        let qemu = of(&DiskAddresses { name: "7-of-9", ..PLAIN }, "QEMU", Door::Nbd);
        assert!(qemu.contains(r#""export":"7-of-9""#) && qemu.contains("drive=disk-7-of-9-"), "{qemu}");
    }

    #[test]
    fn guests_over_nbd_see_the_serial_number_of_the_disk() {
        let of = |name| of(&DiskAddresses { name, ..PLAIN }, "QEMU", Door::Nbd);
        assert!(of("web1").ends_with(",serial=web1"));
        let [one, two] = ["customer-database-primary-1", "customer-database-primary-2"].map(|name| {
            let lines = of(name);
            lines.rsplit_once(",serial=").expect("it is at the end").1.to_owned()
        });
        assert_ne!(one, two, "they agree in twenty characters");
    }

    #[test]
    fn what_may_not_be_written_is_opened_for_reading() {
        let parts = [
            ("QEMU", r#""read-only":true"#, r#""discard":"unmap""#),
            ("libvirt", "<readonly/>", "discard='unmap'"),
        ];
        for (client, part, of_writers) in parts {
            let read_only = of(&DiskAddresses { read_only: true, ..PLAIN }, client, Door::Nbd);
            assert!(read_only.contains(part) && !read_only.contains(of_writers), "{read_only}");
            let plain = of(&PLAIN, client, Door::Nbd);
            assert!(!plain.contains(part) && plain.contains(of_writers), "{plain}");
        }
    }
}
