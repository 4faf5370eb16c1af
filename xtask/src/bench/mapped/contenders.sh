# Block caches of one guest, one after another on the same trace, each with so much SSD and RAM. Each prints a line
#   figures|NAME|RAM KiB|reads|hits|reads of the backing|writes of the backing|KiB written to SSD|dirty KiB|memory KiB
# where dirty is what the backing lacked at the end of the trace. What came after that to bring it home is counted too.
# Before this stand the sizes, and after it the contenders.
#   /dev/ram0, behind a delay: the backing, full of random bytes   /dev/ram1: SSD   /dev/ram2: metadata of dm-cache
SAID=/tmp/said
export FOREBAY_SOCKET=/tmp/d/run/control.sock

fail() {
    echo "wrong: $1"
    for file in $SAID /tmp/log; do [ -e $file ] && tail -n 25 $file; done
    dmesg | tail -n 20
    exit 1
}

must() {
    "$@" >$SAID 2>&1 || fail "$*"
}

# Waits until a command succeeds, for a minute at most.
until_it_is() {
    tries=0
    until "$@" >$SAID 2>&1; do
        tries=$((tries + 1))
        [ $tries -lt 600 ] || fail "it never was: $*"
        usleep 100000
    done
}

# Sets reads, writes and written_kib of a device of device-mapper.
count() {
    read reads _ _ _ writes _ sectors _ </sys/block/dm-$(dmsetup info -c --noheadings -o minor $1)/stat
    written_kib=$((sectors / 2))
}

# The devices of one contender, of whose SSD the first argument in KiB is RAM instead.
make_devices() {
    must dmsetup create slow --table "0 $((BACKING_KIB * 2)) delay /dev/ram0 0 2 /dev/ram0 0 2"
    must dmsetup create ssd --table "0 $(((CACHE_KIB - $1) * 2)) linear /dev/ram1 0"
}

# What one contender left on them would confuse the next one.
remove_devices() {
    until_it_is dmsetup remove slow
    until_it_is dmsetup remove ssd
    must dd if=/dev/urandom of=/dev/ram0 bs=1M count=2 oflag=direct conv=fsync
    must dd if=/dev/zero of=/dev/ram1 bs=1M count=$((CACHE_KIB / 1024)) oflag=direct conv=fsync
    must dd if=/dev/zero of=/dev/ram2 bs=1M count=4 oflag=direct conv=fsync
}

# Remembers what making the cache did, which does not count.
begin() {
    count slow; reads_before=$reads writes_before=$writes
    ssd_before=0
    for device in $*; do count $device; ssd_before=$((ssd_before + written_kib)); done
}

replay() {
    sed "s#^DEV #$1 #" /root/trace.iolog >/tmp/trace.iolog
    must fio --name=replay --read_iolog=/tmp/trace.iolog --replay_no_stall=1 --ioengine=libaio --direct=1 --iodepth=8
}

# Prints the figures: name, RAM, hits, dirty, memory, devices that make up the SSD.
end() {
    name=$1 ram=$2 hits=$3 dirty=$4 memory=$5
    shift 5
    ssd=0
    for device in $*; do count $device; ssd=$((ssd + written_kib)); done
    count slow
    echo "figures|$name|$ram|$READS|$hits|$((reads - reads_before))|$((writes - writes_before))|$((ssd - ssd_before))|$dirty|$memory"
}

# Turns "8.0k", "1.2M" and "512" of bcache's files into KiB.
kib_of() {
    awk '{ n = $1 + 0; print int($1 ~ /M/ ? n * 1024 : $1 ~ /k/ ? n : n / 1024) }' $1
}

bcache() {
    make_devices 0
    must make-bcache -B /dev/mapper/slow -C /dev/mapper/ssd --block 4k --bucket 32k
    for device in slow ssd; do echo /dev/mapper/$device >/sys/fs/bcache/register || fail "register $device"; done
    until_it_is sh -c 'grep -v "no cache" /sys/block/bcache*/bcache/state'
    disk=$(basename /sys/block/bcache*)
    state=/sys/block/$disk/bcache
    cache=$(readlink -f $state/cache)
    echo $1 >$state/cache_mode
    # What it has against scans and busy SSDs has nothing to do here.
    echo 0 >$state/sequential_cutoff
    echo 0 >$cache/congested_read_threshold_us
    echo 0 >$cache/congested_write_threshold_us
    begin ssd
    replay /dev/$disk
    dirty=$(kib_of $state/dirty_data)
    # It adds up its counters every 14 s.
    sleep 20
    hits=$(cat $state/stats_total/cache_hits)
    echo 1 >$state/detach
    until_it_is grep "no cache" $state/state
    end "bcache $1" 0 $hits $dirty - ssd
    echo 1 >$cache/stop
    echo 1 >$state/stop
    until_it_is test ! -e /sys/block/$disk
    remove_devices
}

dm_cache() {
    mode=$1
    make_devices 0
    must dmsetup create meta --table "0 8192 linear /dev/ram2 0"
    devices="/dev/mapper/meta /dev/mapper/ssd /dev/mapper/slow 64"
    must dmsetup create cached --table "0 $((BACKING_KIB * 2)) cache $devices 1 $mode smq 2 migration_threshold 204800"
    begin ssd meta
    replay /dev/mapper/cached
    # The eighth word is hits of reads, the fourteenth dirty blocks of 32 KiB.
    set -- $(dmsetup status cached)
    hits=$8
    shift 13
    dirty=$(($1 * 32))
    must dmsetup suspend cached
    must dmsetup reload cached --table "0 $((BACKING_KIB * 2)) cache $devices 0 cleaner 0"
    must dmsetup resume cached
    until_it_is sh -c 'set -- $(dmsetup status cached); shift 13; [ $1 = 0 ]'
    end "dm-cache $mode" 0 $hits $dirty - ssd meta
    must dmsetup remove cached
    must dmsetup remove meta
    remove_devices
}

dm_writecache() {
    make_devices 0
    must dmsetup create cached --table "0 $((BACKING_KIB * 2)) writecache s /dev/mapper/slow /dev/mapper/ssd 4096 0"
    begin ssd
    replay /dev/mapper/cached
    # Blocks, free ones, those being written back; then reads and hits of them.
    set -- $(dmsetup status cached)
    dirty=$((($5 - $6) * 4)) hits=$9
    must dmsetup message cached 0 flush
    end dm-writecache 0 $hits $dirty - ssd
    must dmsetup remove cached
    remove_devices
}

# Forebay through ublk: name, mode, RAM in KiB, other keys.
forebay_mapped() {
    name=$1 mode=$2 ram=$3
    shift 3
    make_devices $ram
    rm -rf /tmp/d
    mkdir /tmp/d
    forebay serve --dir /tmp/d --run-dir /tmp/d/run --pool /dev/mapper/ssd --listen-http off >>/tmp/log 2>&1 &
    daemon=$!
    until_it_is forebay disk list
    unmarked=
    [ $mode = write-back ] && unmarked=--allow-unmarked
    must forebay disk add disk --backing /dev/mapper/slow --mode $mode $unmarked
    must forebay disk set disk ram=${ram}KiB "$@"
    must forebay map disk
    begin ssd
    hits=$((0 - $(counted_hits)))
    replay /dev/forebay/disk
    hits=$((hits + $(counted_hits)))
    dirty=$(($(forebay stats disk --json | jq '.disks[0].dirty_bytes') / 1024))
    memory=$(awk '/^RssAnon/ { print $2 }' /proc/$daemon/status)
    must forebay disk destage disk --wait
    must forebay unmap disk
    kill $daemon
    wait $daemon || fail "the daemon ended with status $?"
    end "$name" $ram $hits $dirty $memory ssd
    remove_devices
}

counted_hits() {
    forebay stats disk --json | jq '.disks[0] | .read_hits_ram + .read_hits_flash'
}

for module in brd dm_delay dm_cache dm_cache_smq dm_writecache bcache ublk_drv; do must modprobe $module; done
must rmmod brd
must modprobe brd rd_nr=3 rd_size=$BACKING_KIB
must dd if=/dev/urandom of=/dev/ram0 bs=1M count=$((BACKING_KIB / 1024))
echo "kernel|$(uname -r)"
