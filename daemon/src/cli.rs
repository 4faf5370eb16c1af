//! The command line: the one definition of commands, options and their help.

mod advise;
mod simulate;
mod statistics;
mod traces;
mod volume;

use std::path::PathBuf;

use base::error::hint;
use base::units::Size;
use clap::error::{ContextKind, ContextValue};
use clap::{Args, Parser, Subcommand};
use telemetry::events::Level;
use telemetry::wear::Smartctl;

use crate::connect::{ConnectClient, Door};
use crate::control::HttpListen;
use crate::mapping::DriverKind;
use crate::nbd_listener::{self, AllowedNetworks, Tls};
use crate::renamed;
use crate::shard::SHARDS_MAX;
pub(crate) use advise::Advise;
pub(crate) use simulate::{Simulate, SizeOf};
pub(crate) use statistics::{
    CurveOptions, HistogramOptions, HistogramProperty, HistoryOptions, StatsOptions,
};
pub(crate) use traces::{Replay, Trace, TraceConvert, TraceInfo, TraceRecord};
pub(crate) use volume::{
    StoreOptions, VolumeAny, VolumeClone, VolumeCommand, VolumeCreate, VolumeDelete, VolumeExport,
    VolumeImport, VolumeList, VolumeOne, VolumeResize, VolumeScrub, VolumeSnapshot,
};

/// A flash cache for the disks of virtual machines, in user space.
#[derive(Debug, Parser)]
#[command(name = "forebay", version = env!("FOREBAY_VERSION"), disable_help_subcommand = true, max_term_width = 110)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) daemon: DaemonOptions,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show the effect of a cache: a modelled array without and with it, in about a minute. Needs nothing.
    Demo(Demo),
    /// Run the daemon: serve disks through the cache until SIGTERM or SIGINT.
    #[command(after_long_help = format!("Configuration file:\n\n{}", crate::config::sample()))]
    Serve(Serve),
    /// Add, show, change and remove disks, while guests use them.
    #[command(subcommand)]
    Disk(DiskCommand),
    /// Put a running guest's disk behind Forebay and take it back: no copy, no reboot.
    #[command(subcommand)]
    Vm(VmCommand),
    /// Create, list, check, scrub, fence, copy and delete volumes: disks as logs of objects in an object store. Needs no daemon.
    #[command(subcommand)]
    Volume(VolumeCommand),
    /// Map a disk to a block device of this host, for file systems, LVM, NFS and iSCSI servers. Without a name: list those that are.
    Map(MapDisk),
    /// Remove the block device of a disk. The disk stays.
    Unmap(UnmapDisk),
    /// Show and change the pool of flash devices.
    #[command(subcommand)]
    Pool(PoolCommand),
    /// Show counters, ratios and latencies of disks.
    Stats(StatsOptions),
    /// Show requests of a disk in classes: size, latency, seek distance, queue depth, time between arrivals.
    Histogram(HistogramOptions),
    /// Show hit ratios of a disk at other cache sizes, as it is used now; its dirty data, and the size of
    /// blocks.
    Curve(CurveOptions),
    /// Recommend size, RAM, blocks and mode, with reasons, for disks that are served or for a trace.
    Advise(Advise),
    /// Show a disk's last five minutes, day or week: hit ratio, requests, dirty data, flash written.
    History(HistoryOptions),
    /// Show events that an operator must know: when, how severe, and what to do about them.
    #[command(after_long_help = format!("Kinds of events:\n{}", telemetry::events::kind::list()))]
    Events(Events),
    /// Show all disks live: hits, requests a second, latencies, dirty data. Without a terminal: one table.
    Top(Top),
    /// Show the gain of the cache for a disk: before and after, from its counters. Time in pass-through is
    /// the measured "before".
    Report(Report),
    /// Write manual pages, completions and the OpenAPI document, for packagers.
    #[command(hide = true)]
    Generate(Generate),
    /// Compute hit ratios of a trace without I/O, for many sizes, blocks and policies, the served one among them.
    Simulate(Simulate),
    /// Drive a served disk with a trace. Overwrites the disk where the trace writes.
    Replay(Replay),
    /// Show the daemon, the pool, disks that need attention, and events of the last day on one screen. Exit
    /// status 1 if something needs attention.
    Status(Reading),
    /// Describe, convert and record traces of disks.
    #[command(subcommand)]
    Trace(Trace),
    /// Verify every checksum of pools that no daemon uses, and show what a start would find. Changes nothing.
    Check(Check),
}

#[derive(Debug, Args)]
pub(crate) struct Demo {
    /// Duration in seconds: a quarter without the cache, half to fill it, a quarter with it.
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u64).range(4..=3600))]
    pub(crate) seconds: u64,
    /// Folder for its files, empty or new. Default: a temporary one, removed at the end.
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
    /// Go on serving afterwards, until Ctrl-C.
    #[arg(long)]
    pub(crate) keep: bool,
    /// Print one JSON document and nothing else.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// Configuration file (TOML). Options on the command line take precedence.
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Durable state, and the pool that is made without --pool. Default: /var/lib/forebay for root, else
    /// `$XDG_STATE_HOME/forebay`.
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
    /// Sockets. Default: DIR if --dir is given; else /run/forebay for root, `$XDG_RUNTIME_DIR/forebay` for others.
    #[arg(long, value_name = "DIR")]
    pub(crate) run_dir: Option<PathBuf>,
    /// Flash: a file or a block device. A path that was never the pool's replaces the pool that was used last; that one is found by its
    /// id, wherever it is. Default: the pool that was used last, else DIR/pool.img with 10 % of the free space, at most 32GiB.
    #[arg(long, value_name = "FILE")]
    pub(crate) pool: Option<PathBuf>,
    /// Size of the pool file, if it has to be made; 5 % of its file system stay free, at most 1 GiB.
    #[arg(long, value_name = "SIZE")]
    pub(crate) pool_size: Option<Size>,
    /// Address of the HTTP interface and the web page: an IP address with a port, or off. Default:
    /// 127.0.0.1:7070; if that is in use, Forebay serves disks without it.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) listen_http: Option<HttpListen>,
    /// Address at which all disks are served over NBD for other hosts, by their names: an IP address, with a
    /// port unless that is 10809, or off. Default: off; each disk has its own Unix socket.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) listen_nbd: Option<nbd_listener::NbdListen>,
    /// TLS of clients at --listen-nbd: off, require, or require-certificates, which needs the ca-cert.pem
    /// that clients' certificates are checked against. Unix sockets have no TLS. Default: off.
    #[arg(long, value_name = "TLS")]
    pub(crate) nbd_tls: Option<Tls>,
    /// Folder of server-cert.pem and server-key.pem, and of ca-cert.pem if clients must show a certificate of
    /// that authority. Renewed files are loaded automatically. Default: /etc/forebay/tls.
    #[arg(long, value_name = "DIR")]
    pub(crate) nbd_tls_dir: Option<PathBuf>,
    /// Networks that may connect to --listen-nbd, such as `10.0.0.0/8,fd00::/8`, or single addresses.
    /// Default: all.
    #[arg(long, value_name = "NETWORKS")]
    pub(crate) nbd_allow: Option<AllowedNetworks>,
    /// Threads that serve disks, each disk on one of them. Default: one for each CPU, at most 8.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(SHARDS_MAX)))]
    pub(crate) shards: Option<u32>,
    /// Program that reads the wear of the pool's drives: the absolute path of a smartctl, auto for that of
    /// the system, or off. Default: auto.
    #[arg(long, value_name = "FILE")]
    pub(crate) smartctl: Option<Smartctl>,
    /// Make a new pool over the content of the pool's file or device, if that has this very id. Destroys it.
    /// With the id of the pool that was used last, and that is found nowhere, that pool is abandoned.
    #[arg(long, value_name = "ID")]
    pub(crate) erase: Option<String>,
    /// Level of the log: error, warn, info, debug or trace. Default: info.
    #[arg(long, value_name = "LEVEL", env = "FOREBAY_LOG")]
    pub(crate) log: Option<String>,
    /// Format of log entries: text, or json with one object a line. Default: text.
    #[arg(long, value_name = "FORMAT")]
    pub(crate) log_format: Option<String>,
    /// Log to the end of this file. Default: standard error, with priorities if systemd connected it to the journal.
    #[arg(long, value_name = "FILE")]
    pub(crate) log_file: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum DiskCommand {
    /// Serve a disk. Its content stays as it is.
    #[command(after_help = format!("Keys:\n{}", crate::keys::table()))]
    Add(Box<DiskAdd>),
    /// Show all disks.
    #[command(visible_alias = "ls")]
    List(Reading),
    /// Show one disk.
    Show(DiskShow),
    /// Change how a disk is cached.
    #[command(after_help = format!("Keys:\n{}", crate::keys::table()))]
    Set(DiskSet),
    /// Grow a disk to the size of its backing, while guests continue. Make the backing larger first:
    /// truncate, lvextend, or with its server's tool. A disk never becomes smaller.
    Resize(DiskResize),
    /// Drop the cached data of a disk, so that no restart uses it. Guests continue, from the backing.
    Evict(DiskName),
    /// Write the dirty data of a disk to its backing, as fast as the backing and the key destage-rate-max
    /// allow. Guests continue.
    Destage(DiskDestage),
    /// Write the dirty data of a disk to its backing, and keep the backing complete for a while: for a backup
    /// or a snapshot of it. Guests continue; their writes go to the backing meanwhile.
    Quiesce(DiskQuiesce),
    /// Compare the backing of a disk that waits with the cache, and serve the disk with its dirty data once
    /// you confirm.
    Accept(DiskAccept),
    /// End `disk quiesce`.
    Resume(DiskName),
    /// Without its flash: bring the backing of a disk in consistent write-back to the time of the last group in its redo ring. Needs no
    /// daemon, and works on any host.
    Recover(DiskRecover),
    /// Stop serving a disk, once its backing is complete. The backing keeps its content.
    #[command(visible_alias = "rm")]
    Remove(DiskRemove),
}

#[derive(Clone, Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of the command line")]
pub(crate) struct DiskRecover {
    /// The backing, as `disk add` takes it. For the disks of a consistency set: all of them, each with an option of its own.
    #[arg(long, value_name = "URI", required = true)]
    pub(crate) backing: Vec<String>,
    /// File, device or image (rbd:POOL/IMAGE) of its redo ring; of several backings for each, in their order. Default: .NAME.forebay-ring
    /// beside a backing that is a file, and IMAGE.forebay-ring for an image of Ceph RBD.
    #[arg(long, value_name = "FILE")]
    pub(crate) ring: Vec<String>,
    /// Disks of a consistency set without the rest of it, which does not match them then.
    #[arg(long)]
    pub(crate) alone: bool,
    /// Check the ring and show what would be done; change nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// The backing cannot be marked, or lost its mark in a copy: take it for the one that the ring belongs to, as it was when the flash was lost.
    #[arg(long)]
    pub(crate) allow_unmarked: bool,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DiskAdd {
    /// Name of the disk: a-z 0-9 . _ -, at most 63 characters.
    pub(crate) name: String,
    /// Location of its data: a path or `file:PATH` (raw file or block device); `nbd://HOST[:PORT]/EXPORT` or
    /// `nbd+unix:///EXPORT?socket=PATH` (an export of an NBD server, as qemu-nbd makes one of a qcow2 image);
    /// `rbd:POOL/IMAGE[?id=USER&conf=FILE]` (an image of Ceph RBD, with the helper forebay-rbd);
    /// `volume:STORE/NAME` (a volume in an object store, see `forebay volume`); or
    /// `model:PROFILE:PATH` (a raw file with the timing of a spinning array, such as `hdd-15k-raid5x5`,
    /// for demonstrations).
    #[arg(long, value_name = "URI")]
    pub(crate) backing: String,
    /// Keys with their values, as `disk set` takes them; options below are another way to set some of them.
    #[arg(value_name = "KEY=VALUE", value_parser = parse_pair)]
    pub(crate) settings: Vec<(String, String)>,
    /// write-through, write-back, write-around or pass-through. Default: write-through.
    #[arg(long)]
    pub(crate) mode: Option<String>,
    /// The unit of the index, a power of two from 4KiB to 1MiB. Default: 64KiB.
    #[arg(long, value_name = "SIZE")]
    pub(crate) block_size: Option<String>,
    /// Flash that is kept for the disk: a size, or a share of the disk such as 5%.
    #[arg(long, value_name = "SIZE")]
    pub(crate) reserve: Option<String>,
    /// Flash that the disk never exceeds: a size, or a share of the disk such as 20%.
    #[arg(long, value_name = "SIZE")]
    pub(crate) limit: Option<String>,
    /// write-back: the most dirty data that flash may hold. Default: a tenth of the pool, divided among its
    /// disks in write-back; never more than a quarter of the reservation, or an eighth if it is mirrored,
    /// unless that is auto.
    #[arg(long, value_name = "SIZE")]
    pub(crate) dirty_limit: Option<String>,
    /// write-back: least rate of destage in bytes a second, however busy guests are.
    #[arg(long, value_name = "SIZE")]
    pub(crate) destage_rate_min: Option<String>,
    /// write-back: greatest rate of destage in bytes a second.
    #[arg(long, value_name = "SIZE")]
    pub(crate) destage_rate_max: Option<String>,
    /// write-back: address or consistent. consistent writes changes to a redo ring on the storage of the backing before any of them is destaged:
    /// without its flash, the disk is as of a moment ago, see `disk recover`. Default: address, and then the backing is a mix.
    #[arg(long, value_name = "ORDER")]
    pub(crate) destage_order: Option<String>,
    /// destage-order=consistent: file, device or image (rbd:POOL/IMAGE) of the redo ring. Default: beside a backing that is a file, and
    /// IMAGE.forebay-ring, which must exist, for an image of Ceph RBD.
    #[arg(long, value_name = "FILE")]
    pub(crate) ring: Option<String>,
    /// write-back: mirror or none. mirror keeps dirty data on two devices of the pool, if it has two that are
    /// large enough. Default: mirror.
    #[arg(long)]
    pub(crate) redundancy: Option<String>,
    /// Allow write-back though the backing cannot bear a mark (NBD, devices): nothing then keeps another
    /// Forebay from serving it while flash has newer data.
    #[arg(long)]
    pub(crate) allow_unmarked: bool,
    /// Sector size in bytes that guests are shown, 512 or 4096. Default: that of the backing; 512 of a file.
    #[arg(long, value_name = "BYTES")]
    pub(crate) sector_size: Option<String>,
    /// User who owns the sockets that guests connect to. Default: that of the daemon; only root can set
    /// another.
    #[arg(long, value_name = "USER")]
    pub(crate) socket_owner: Option<String>,
    /// Group of the sockets that guests connect to. Default: forebay if the host has it, else that of the daemon.
    #[arg(long, value_name = "GROUP")]
    pub(crate) socket_group: Option<String>,
    /// Mode of the sockets in octal digits: the bits for writing decide who may connect. Default: 0660.
    #[arg(long, value_name = "MODE")]
    pub(crate) socket_mode: Option<String>,
    /// Refuse writes.
    #[arg(long)]
    pub(crate) read_only: bool,
    /// Serve a file that looks like an image (qcow2, vmdk and so on) as raw bytes.
    #[arg(long)]
    pub(crate) force_raw: bool,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

#[derive(Debug, Args)]
pub(crate) struct DiskShow {
    /// Name of the disk.
    pub(crate) name: String,
    /// Print the lines to copy that connect a client to it; without CLIENT the clients that are known, and
    /// QEMU's lines. With --json and without CLIENT, those of all clients.
    #[arg(long, value_name = "CLIENT", num_args = 0..=1, value_enum)]
    #[expect(clippy::option_option, reason = "clap tells an option without a value from none by that")]
    pub(crate) connect: Option<Option<ConnectClient>>,
    /// Frontend by which CLIENT connects. Default: the best one that the client supports.
    #[arg(long, value_enum, requires = "connect")]
    pub(crate) door: Option<Door>,
    /// List the bytes that flash lost before the backing had them. Reads of them fail until they are
    /// overwritten.
    #[arg(long, conflicts_with = "connect")]
    pub(crate) lost: bool,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

#[derive(Debug, Args)]
pub(crate) struct DiskSet {
    /// Name of the disk.
    pub(crate) name: String,
    /// Keys with their new values.
    #[arg(required = true, value_name = "KEY=VALUE", value_parser = parse_pair)]
    pub(crate) settings: Vec<(String, String)>,
    /// If this ends write-back, wait until the backing is complete.
    #[arg(long)]
    pub(crate) wait: bool,
    /// Let another block size drop the cache, without a question.
    #[arg(long)]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

#[derive(Debug, Args)]
pub(crate) struct DiskResize {
    /// Name of the disk.
    pub(crate) name: String,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

#[derive(Debug, Args)]
pub(crate) struct DiskDestage {
    /// Name of the disk.
    pub(crate) name: String,
    /// Wait until the backing is complete, and show the progress.
    #[arg(long, conflicts_with = "stop")]
    pub(crate) wait: bool,
    /// Stop hurrying: destage continues in the background.
    #[arg(long)]
    pub(crate) stop: bool,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

#[derive(Debug, Args)]
pub(crate) struct DiskAccept {
    /// Name of the disk.
    pub(crate) name: String,
    /// Do not ask: serve it unless pages differ.
    #[arg(long)]
    pub(crate) yes: bool,
    /// Serve it also if cached pages differ from the backing: dirty data is then written over another
    /// version.
    #[arg(long)]
    pub(crate) despite_differences: bool,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

#[derive(Debug, Args)]
pub(crate) struct DiskQuiesce {
    /// Name of the disk.
    pub(crate) name: String,
    /// Duration, from when the backing is complete; then it ends automatically.
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = base::units::parse_seconds)]
    pub(crate) seconds: u64,
    /// In consistent order, have guests write through meanwhile, as in the other order: it lasts however much they
    /// write.
    #[arg(long)]
    pub(crate) write_through: bool,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

#[derive(Debug, Args)]
pub(crate) struct DiskRemove {
    /// Name of the disk.
    pub(crate) name: String,
    /// Discard its dirty data.
    #[arg(long)]
    pub(crate) discard_dirty: bool,
    /// Remove it though guests use it. Their requests fail from then on.
    #[arg(long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

#[derive(Debug, Args)]
pub(crate) struct DiskName {
    /// Name of the disk.
    pub(crate) name: String,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

#[derive(Debug, Subcommand)]
pub(crate) enum VmCommand {
    /// Put a disk of a running QEMU guest behind Forebay. Lasts until that QEMU ends.
    Attach(VmAttach),
    /// Give a running guest the disk back that `vm attach` took.
    Detach(VmDetach),
    /// Show the disks that were taken from running guests.
    #[command(visible_alias = "ls")]
    List(Reading),
}

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of the command line")]
pub(crate) struct MapDisk {
    /// Name of the disk.
    pub(crate) name: Option<String>,
    /// A symbolic link to the device. Default: /dev/forebay/NAME.
    #[arg(long = "as", value_name = "PATH", requires = "name")]
    pub(crate) link: Option<PathBuf>,
    /// Refuse writes.
    #[arg(long, requires = "name")]
    pub(crate) read_only: bool,
    /// The driver of the kernel. Default: ublk, and nbd where the kernel has none.
    #[arg(long, value_enum, requires = "name")]
    pub(crate) driver: Option<DriverKind>,
    /// Let udev and LVM of this host scan it for file systems and volumes. By default they ignore it.
    #[arg(long, requires = "name")]
    pub(crate) scan: bool,
    /// Serve again the disks that were mapped when the daemon ended. The service does so at each start.
    #[arg(long, conflicts_with = "name")]
    pub(crate) restore: bool,
    /// Replace connections of kernel NBD that break, until this is ended. The service forebay-map does so.
    #[arg(long, conflicts_with_all = ["name", "restore"])]
    pub(crate) watch: bool,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

#[derive(Debug, Args)]
pub(crate) struct UnmapDisk {
    /// Name of the disk.
    #[arg(required_unless_present = "all", conflicts_with = "all")]
    pub(crate) name: Option<String>,
    /// Every disk that is mapped. Those that are in use stay, and are named.
    #[arg(long)]
    pub(crate) all: bool,
    /// First unmount file systems and take volumes apart, and wait up to 90 s for their users. The service
    /// forebay-mapped does so when the host shuts down; then devices that are still in use are removed by
    /// force, once their files are synced.
    #[arg(long, requires = "all", conflicts_with = "force")]
    pub(crate) unmount: bool,
    /// Remove it though it is in use: its users get errors, and data that was not flushed is lost.
    #[arg(long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

#[derive(Debug, Args)]
pub(crate) struct VmAttach {
    #[command(flatten)]
    pub(crate) monitor: VmMonitor,
    /// The id of the guest's -device, or of the disk's -drive. Default: the one disk that the guest has.
    #[arg(long, value_name = "ID")]
    pub(crate) device: Option<String>,
    /// Name of the disk in Forebay. Default: the guest's name, if it has one, and the device's.
    #[arg(long)]
    pub(crate) name: Option<String>,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

#[derive(Debug, Args)]
pub(crate) struct VmDetach {
    /// Name of the disk in Forebay; `vm list` shows all.
    #[arg(required_unless_present_any = ["qmp", "libvirt"], conflicts_with_all = ["qmp", "libvirt", "device"])]
    pub(crate) name: Option<String>,
    #[command(flatten)]
    pub(crate) monitor: VmMonitor,
    /// The id of the guest's -device, or of the disk's -drive. Default: the one disk that was taken from the guest.
    #[arg(long, value_name = "ID")]
    pub(crate) device: Option<String>,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

/// Connection to the QEMU of a running guest.
#[derive(Debug, Args)]
pub(crate) struct VmMonitor {
    /// QEMU's monitor socket, made with -qmp unix:SOCKET,server=on,wait=off.
    #[arg(long, value_name = "SOCKET", conflicts_with = "libvirt")]
    pub(crate) qmp: Option<PathBuf>,
    /// A guest of libvirt, by its name, through virsh.
    #[arg(long, value_name = "DOMAIN")]
    pub(crate) libvirt: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PoolCommand {
    /// Show the pool and its devices.
    // Not visible: shells would complete an alias that comes before the name in its place.
    #[command(aliases = ["list", "ls"])]
    Show(Reading),
    /// Add a device, while guests use the others.
    Add(PoolAdd),
    /// Remove a device, while guests continue. Cached data of disks with a part on it is dropped.
    Remove(PoolRemove),
    /// Replace a device, which failed or is to go, by another one. Mirrored data gets its second copies
    /// there.
    Replace(PoolReplace),
    /// Use more or less of a device, while guests continue. Data behind a new end moves, or is dropped if it
    /// is clean and cold.
    #[command(
        after_help = "A file gets the new size. Enlarge a block device before, and reduce it afterwards:\n\n  \
        lvextend --size +10G vg/cache && forebay pool resize /dev/vg/cache max\n  \
        forebay pool resize /dev/vg/cache 20GiB && lvreduce --size 20G vg/cache"
    )]
    Resize(PoolResize),
    /// Set the rated endurance of drives, from which their remaining life is computed, and the write budget.
    #[command(after_help = format!("Keys:\n{}", telemetry::wear::table()))]
    Set(PoolSet),
}

#[derive(Debug, Args)]
pub(crate) struct PoolSet {
    /// Keys with their new values.
    #[arg(required = true, value_name = "KEY=VALUE", value_parser = parse_pair)]
    pub(crate) settings: Vec<(String, String)>,
    /// The file or device that is rated, as `pool show` lists it. Default: all that the pool has now.
    #[arg(long, value_name = "DEVICE")]
    pub(crate) device: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

#[derive(Debug, Args)]
pub(crate) struct PoolAdd {
    /// A file or a block device that holds nothing.
    pub(crate) device: PathBuf,
    #[command(flatten)]
    pub(crate) taking: AddDeviceOptions,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

/// Options for adding a device.
#[derive(Debug, Args)]
pub(crate) struct AddDeviceOptions {
    /// Make a file of this size, which must not exist yet. Its storage is reserved.
    #[arg(long, value_name = "SIZE")]
    pub(crate) size: Option<Size>,
    /// Add it though it holds something, if that has this very id. Destroys it.
    #[arg(long, value_name = "ID")]
    pub(crate) erase: Option<String>,
    /// Accept that it is on the drive of another device: both copies of dirty data are lost with that drive.
    #[arg(long)]
    pub(crate) same_drive: bool,
}

#[derive(Debug, Args)]
pub(crate) struct PoolReplace {
    /// The file or device to remove, as `pool show` lists or listed it.
    pub(crate) old: PathBuf,
    /// The file or device to add: it holds nothing.
    pub(crate) new: PathBuf,
    #[command(flatten)]
    pub(crate) taking: AddDeviceOptions,
    /// Wait until everything mirrored has its second copy, and show the progress.
    #[arg(long)]
    pub(crate) wait: bool,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

#[derive(Debug, Args)]
pub(crate) struct PoolResize {
    /// The file or device as `pool show` lists it, or another path to it.
    pub(crate) device: PathBuf,
    /// Size that the pool is to use of it, as 20GiB, or max for all of it.
    #[arg(value_name = "SIZE|max", value_parser = parse_size_or_max, required_unless_present = "cancel")]
    pub(crate) size: Option<SizeOrMax>,
    /// Cancel a resize that makes it smaller.
    #[arg(long, conflicts_with = "size")]
    pub(crate) cancel: bool,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

/// A size, or all of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SizeOrMax {
    Size(Size),
    Max,
}

fn parse_size_or_max(text: &str) -> Result<SizeOrMax, String> {
    if text == "max" {
        return Ok(SizeOrMax::Max);
    }
    text.parse()
        .map(SizeOrMax::Size)
        .map_err(|error| format!("{error}; or give max for all that the device has"))
}

#[derive(Debug, Args)]
pub(crate) struct PoolRemove {
    /// The file or device as `pool show` lists it, or another path to it. A file that Forebay made is deleted.
    pub(crate) device: PathBuf,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

#[derive(Debug, Args)]
pub(crate) struct Events {
    /// Print the present entries, then new ones, until stopped; with --json one document a line.
    #[arg(long)]
    pub(crate) follow: bool,
    /// Only events of at least this severity: info, warning or error.
    #[arg(long, value_name = "LEVEL", default_value = "info", value_parser = parse_level)]
    pub(crate) level: Level,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

#[derive(Debug, Args)]
pub(crate) struct Top {
    /// Print one table of the next second instead of a live screen.
    #[arg(long)]
    pub(crate) once: bool,
    /// Print this many tables, one a second, instead of a live screen.
    #[arg(long, value_name = "N", conflicts_with = "once", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) count: Option<u32>,
    #[command(flatten)]
    pub(crate) daemon: DaemonOptions,
}

#[derive(Debug, Args)]
pub(crate) struct Report {
    /// Name of the disk.
    pub(crate) name: String,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

#[derive(Debug, Args)]
pub(crate) struct Check {
    /// Files or devices that hold pools. All devices of a pool are named together.
    #[arg(required = true, value_name = "DEVICE")]
    pub(crate) devices: Vec<PathBuf>,
    /// Folder of the daemon that they belong to, which has the names of disks and whether their cache is
    /// trusted. Default: as for serve, if it can be read.
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
    /// Folder of that daemon's sockets. Default: as for serve.
    #[arg(long, value_name = "DIR")]
    pub(crate) run_dir: Option<PathBuf>,
    /// Print one JSON document.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Generate {
    /// Folder that gets `man/`, `completions/` and `openapi.json`.
    pub(crate) folder: PathBuf,
}

/// Options of every command that prints a document.
#[derive(Debug, Args)]
pub(crate) struct Reading {
    /// Print one JSON document.
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) daemon: DaemonOptions,
}

/// Options that select the daemon.
#[derive(Debug, Args)]
pub(crate) struct DaemonOptions {
    /// Control socket of the daemon, before or after the command. Default: control.sock in `$XDG_RUNTIME_DIR/forebay` if this
    /// user runs a daemon, else in /run/forebay.
    #[arg(long, value_name = "SOCKET", env = "FOREBAY_SOCKET", global = true)]
    pub(crate) socket: Option<PathBuf>,
}

/// Adds the command or option that was meant to an error about an unknown one, if its name has no letters in
/// common with it.
pub(crate) fn suggest(mut error: clap::Error, words: &[String]) -> clap::Error {
    if let Some(ContextValue::String(unknown)) = error.get(ContextKind::InvalidArg)
        && let Some(now) = renamed::option(unknown)
    {
        error.insert(ContextKind::SuggestedArg, ContextValue::String(now.to_owned()));
        return error;
    }
    let Some(ContextValue::String(unknown)) = error.get(ContextKind::InvalidSubcommand) else { return error };
    let before = words.iter().take_while(|word| *word != unknown);
    if !before.into_iter().any(|word| word == "disk" || word == "pool") {
        return error;
    }
    let meant = match unknown.as_str() {
        "delete" | "del" | "destroy" | "detach" | "forget" => "remove",
        "status" | "stat" | "info" | "get" => "show",
        "create" | "new" | "attach" => "add",
        "change" | "edit" | "modify" | "update" => "set",
        _ => return error,
    };
    error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(vec![meant.to_owned()]));
    error
}

fn parse_level(text: &str) -> Result<Level, String> {
    Level::of_name(text).ok_or_else(|| hint(text, &Level::ALL.map(Level::name)))
}

fn parse_pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
        _ => Err("write it as KEY=VALUE".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn an_unknown_command_that_means_a_known_one_is_answered_with_that_one() {
        let answer = |words: &[&str]| {
            let error = Cli::try_parse_from(words).expect_err("there is no such command");
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            suggest(error, &words).to_string()
        };
        for (unknown, meant) in [("delete", "'remove'"), ("status", "'show'"), ("create", "'add'")] {
            let said = answer(&["forebay", "disk", unknown, "a"]);
            assert!(said.contains(meant), "{said}");
        }
        for (before, now) in [("--raw-anyway", "--force-raw"), ("--unmarked", "--allow-unmarked")] {
            let said = answer(&["forebay", "disk", "add", "a", "--backing", "/a", before]);
            assert!(said.contains(&format!("'{now}'")), "{said}");
        }
        let said = answer(&["forebay", "disk", "remove", "a", "--lose-dirty"]);
        assert!(said.contains("'--discard-dirty'"), "{said}");
        assert!(!answer(&["forebay", "delete"]).contains("'remove'"), "there is none of that name");
        assert!(Cli::try_parse_from(["forebay", "disk", "rm", "a"]).is_ok());
        assert!(Cli::try_parse_from(["forebay", "vm", "ls"]).is_ok());
        for words in [&["disk", "accept", "a", "--json"][..], &["pool", "replace", "/a", "/b", "--json"]] {
            assert!(Cli::try_parse_from([&["forebay"], words].concat()).is_ok(), "{words:?}");
        }
    }

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_command_in_the_documentation_is_one() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut pages = vec![root.join("README.md")];
        let docs = std::fs::read_dir(root.join("docs")).expect("there is documentation");
        let docs = docs.map(|page| page.expect("it can be listed").path());
        pages.extend(docs.filter(|path| path.extension().is_some_and(|extension| extension == "md")));
        assert!(pages.len() > 10, "{pages:?}");

        for page in pages {
            let text = std::fs::read_to_string(&page).expect("it is text");
            let commands = text.lines().map(|line| line.replace("cargo run --release -- ", "forebay "));
            for command in commands.filter(|line| line.starts_with("forebay ")) {
                // Without a comment, a redirection of output, and further commands.
                let end = [" #", " >", " &&"].iter().filter_map(|mark| command.find(mark)).min();
                let words = command[..end.unwrap_or(command.len())].split_whitespace();
                let refusal = Cli::try_parse_from(words).err();
                let refusal = refusal.filter(|error| error.kind() != clap::error::ErrorKind::DisplayVersion);
                assert!(refusal.is_none(), "{}: {command}: {}", page.display(), refusal.expect("it is one"));
            }
        }
    }

    #[test]
    fn the_socket_of_the_daemon_goes_before_or_after_the_command() {
        let socket = |words: &[&str]| match Cli::try_parse_from(words).expect("it is right").command {
            Command::Disk(DiskCommand::List(reading)) | Command::Status(reading) => reading.daemon.socket,
            other => panic!("another command: {other:?}"),
        };
        for words in [
            &["forebay", "--socket", "/s", "disk", "list"][..],
            &["forebay", "disk", "--socket", "/s", "list"],
            &["forebay", "disk", "list", "--socket", "/s"],
            &["forebay", "disk", "ls", "--socket", "/s"],
            &["forebay", "--socket", "/s", "status"],
        ] {
            assert_eq!(socket(words), Some(PathBuf::from("/s")), "{words:?}");
        }
        for words in [&["forebay", "pool", "list"][..], &["forebay", "pool", "ls"]] {
            assert!(Cli::try_parse_from(words).is_ok(), "{words:?}");
        }
    }

    #[test]
    fn adding_takes_every_key_that_a_change_takes_and_changes_take_json() {
        let words =
            ["forebay", "disk", "add", "a", "--backing", "/a", "ram=64MiB", "retry-time=wait", "--json"];
        let Command::Disk(DiskCommand::Add(options)) =
            Cli::try_parse_from(words).expect("it is right").command
        else {
            panic!("another command");
        };
        assert_eq!(options.settings.len(), 2);
        assert!(options.reading.json);
        for words in
            ["set a ram=2MiB", "evict a", "destage a", "quiesce a --seconds 5m", "resume a", "remove a"]
        {
            let words = ["forebay", "disk"].into_iter().chain(words.split(' ')).chain(["--json"]);
            assert!(Cli::try_parse_from(words.clone()).is_ok(), "{:?}", words.collect::<Vec<_>>());
        }
        let mut cli = Cli::command();
        let disk = cli.find_subcommand_mut("disk").expect("it is defined");
        let help = disk.find_subcommand_mut("add").expect("it is defined").render_long_help().to_string();
        assert!(
            help.contains("nbd://") && crate::keys::KEYS.iter().all(|key| help.contains(key.name)),
            "{help}"
        );
    }

    #[test]
    fn the_help_of_set_names_every_key() {
        let mut cli = Cli::command();
        let disk = cli.find_subcommand_mut("disk").expect("it is defined");
        let help = disk.find_subcommand_mut("set").expect("it is defined").render_long_help().to_string();
        for key in crate::keys::KEYS {
            assert!(help.contains(key.name), "{} is missing in: {help}", key.name);
        }
    }
}
