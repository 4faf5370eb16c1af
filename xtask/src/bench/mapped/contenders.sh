# Block caches of one guest, one after another on the same trace, each with so much SSD and RAM. Each prints a line
#   figures|TRACE|NAME|RAM KiB|hits of each window|reads of the backing|writes of the backing|KiB written to SSD|dirty KiB|memory KiB
# where dirty is what the backing lacked at the end of the trace. What came after that to bring it home is counted too. With RESETS=yes
# each is assembled once more from a copy of its devices that was taken right after the trace, as a reset leaves them, and prints a line
#   reset|TRACE|NAME|hits of the reads of the last window, played again|intact or lost
# Before this stand the sizes, and after it the contenders. A trace is /root/TRACE.N.iolog for each of its windows, and /root/TRACE.reads
# with the reads of each.
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
    must dmsetup create slow --table "0 $((BACKING_KIB * 2)) delay /dev/ram0 0 $DELAY_MS /dev/ram0 0 $DELAY_MS"
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

# Plays one window on a device.
play() {
    sed "s#^DEV #$1 #" /root/$TRACE.$2.iolog >/tmp/trace.iolog
    must fio --name=replay --read_iolog=/tmp/trace.iolog --replay_no_stall=1 --ioengine=libaio --direct=1 --iodepth=$DEPTH
}

# Plays all windows on a device, and sets hits of each: by a command that prints the hits so far, of reads_so_far reads.
replay() {
    hits= reads_so_far=0
    for window in $(seq $WINDOWS); do
        hits_before=$($2)
        play $1 $window
        reads_so_far=$((reads_so_far + $(sed -n ${window}p /root/$TRACE.reads)))
        hits="$hits $(($($2) - hits_before))"
    done
    # What is written is to survive from here on.
    must dd if=/dev/null of=$1 conv=notrunc,fsync
}

# The reads that the backing did not have to answer: of a cache that reads nothing else from it.
reads_saved() {
    count slow
    echo $((reads_so_far - (reads - reads_before)))
}

# Copies the devices, all at one moment, and a folder.
keep_state() {
    [ $RESETS = yes ] || return 0
    rm -rf /tmp/kept
    mkdir /tmp/kept
    for device in slow ssd $1; do must dmsetup suspend --noflush --nolockfs $device; done
    [ -z "$2" ] || must cp -a $2 /tmp/kept/folder
    must dd if=/dev/ram0 of=/tmp/kept/slow bs=1M count=$((BACKING_KIB / 1024)) iflag=direct
    must dd if=/dev/ram1 of=/tmp/kept/ssd bs=1M count=$((CACHE_KIB / 1024)) iflag=direct
    must dd if=/dev/ram2 of=/tmp/kept/meta bs=1M count=4 iflag=direct
    for device in ssd slow $1; do must dmsetup resume $device; done
}

# Sets the content that is expected, from a backing that has all of it behind so many bytes.
expect_content() {
    [ $RESETS = yes ] || return 0
    content=$(dd if=/dev/ram0 bs=1M count=$((BACKING_KIB / 1024)) iflag=direct 2>/dev/null | tail -c +$(($1 + 1)) | md5sum)
}

restore_state() {
    must dd if=/tmp/kept/slow of=/dev/ram0 bs=1M oflag=direct conv=notrunc,fsync
    must dd if=/tmp/kept/ssd of=/dev/ram1 bs=1M oflag=direct conv=notrunc,fsync
    must dd if=/tmp/kept/meta of=/dev/ram2 bs=1M oflag=direct conv=notrunc,fsync
}

# Plays the last window on a device that was assembled from the copy, compares its content, and prints both: name, device, command as above.
judge_reset() {
    reads_so_far=0
    count slow; reads_before=$reads
    # Its writes would change the content.
    grep -v " write " /root/$TRACE.$WINDOWS.iolog >/root/$TRACE.again.iolog
    hits_before=$($3)
    play $2 again
    reads_so_far=$(sed -n ${WINDOWS}p /root/$TRACE.reads)
    hits=$(($($3) - hits_before))
    found=lost
    [ "$(dd if=$2 bs=1M iflag=direct 2>/dev/null | md5sum)" = "$content" ] && found=intact
    echo "reset|$TRACE|$1|$hits|$found"
}

# Prints the figures: name, RAM, hits, dirty, memory, devices that make up the SSD.
end() {
    name=$1 ram=$2 hits=$3 dirty=$4 memory=$5
    shift 5
    ssd=0
    for device in $*; do count $device; ssd=$((ssd + written_kib)); done
    count slow
    echo "figures|$TRACE|$name|$ram|$hits|$((reads - reads_before))|$((writes - writes_before))|$((ssd - ssd_before))|$dirty|$memory"
}

# Turns "8.0k", "1.2M" and "512" of bcache's files into KiB.
kib_of() {
    awk '{ n = $1 + 0; print int($1 ~ /M/ ? n * 1024 : $1 ~ /k/ ? n : n / 1024) }' $1
}

bcache() {
    make_devices 0
    # It wants more than 512 buckets.
    bucket=32k
    [ $CACHE_KIB -lt 32768 ] && bucket=16k
    must make-bcache -B /dev/mapper/slow -C /dev/mapper/ssd --block 4k --bucket $bucket
    start_bcache
    echo $1 >$state/cache_mode
    begin ssd
    replay /dev/$disk reads_saved
    dirty=$(kib_of $state/dirty_data)
    if [ $WINDOWS = 1 ]; then
        # It adds up its counters every 14 s.
        sleep 20
        hits=$(cat $state/stats_total/cache_hits)
    fi
    keep_state
    echo 1 >$state/detach
    until_it_is grep "no cache" $state/state
    end "bcache $1" 0 "$hits" $dirty - ssd
    stop_bcache
    # Its superblock is in front of the data.
    expect_content 8192
    if [ $RESETS = yes ]; then
        restore_state
        start_bcache
        judge_reset "bcache $1" /dev/$disk reads_saved
        stop_bcache
    fi
    remove_devices
}

# Sets disk, state and cache.
start_bcache() {
    for device in slow ssd; do echo /dev/mapper/$device >/sys/fs/bcache/register || fail "register $device"; done
    until_it_is sh -c 'grep -v "no cache" /sys/block/bcache*/bcache/state'
    disk=$(basename /sys/block/bcache*)
    state=/sys/block/$disk/bcache
    cache=$(readlink -f $state/cache)
    # What it has against scans and busy SSDs has nothing to do here.
    echo 0 >$state/sequential_cutoff
    echo 0 >$cache/congested_read_threshold_us
    echo 0 >$cache/congested_write_threshold_us
}

stop_bcache() {
    echo 1 >$cache/stop
    # Of a disk that is attached that was enough.
    { echo 1 >$state/stop; } 2>/dev/null
    until_it_is test ! -e /sys/block/$disk
    until_it_is test ! -e $cache
}

dm_cache() {
    mode=$1
    make_devices 0
    start_dm_cache
    begin ssd meta
    replay /dev/mapper/cached dm_cache_hits
    # The fourteenth word is dirty blocks of 32 KiB.
    set -- $(dmsetup status cached)
    shift 13
    dirty=$(($1 * 32))
    keep_state meta
    must dmsetup suspend cached
    must dmsetup reload cached --table "0 $((BACKING_KIB * 2)) cache $devices 0 cleaner 0"
    must dmsetup resume cached
    until_it_is sh -c 'set -- $(dmsetup status cached); shift 13; [ $1 = 0 ]'
    end "dm-cache $mode" 0 "$hits" $dirty - ssd meta
    stop_dm_cache
    expect_content 0
    if [ $RESETS = yes ]; then
        restore_state
        start_dm_cache
        judge_reset "dm-cache $mode" /dev/mapper/cached dm_cache_hits
        stop_dm_cache
    fi
    remove_devices
}

start_dm_cache() {
    must dmsetup create meta --table "0 8192 linear /dev/ram2 0"
    devices="/dev/mapper/meta /dev/mapper/ssd /dev/mapper/slow 64"
    must dmsetup create cached --table "0 $((BACKING_KIB * 2)) cache $devices 1 $mode smq 2 migration_threshold 204800"
}

stop_dm_cache() {
    must dmsetup remove cached
    must dmsetup remove meta
}

# The eighth word is hits of reads.
dm_cache_hits() {
    set -- $(dmsetup status cached)
    echo $8
}

dm_writecache() {
    make_devices 0
    start_dm_writecache
    begin ssd
    replay /dev/mapper/cached dm_writecache_hits
    # Blocks, free ones, those being written back; then reads and hits of them.
    set -- $(dmsetup status cached)
    dirty=$((($5 - $6) * 4))
    keep_state
    must dmsetup message cached 0 flush
    end dm-writecache 0 "$hits" $dirty - ssd
    must dmsetup remove cached
    expect_content 0
    if [ $RESETS = yes ]; then
        restore_state
        start_dm_writecache
        judge_reset dm-writecache /dev/mapper/cached dm_writecache_hits
        must dmsetup remove cached
    fi
    remove_devices
}

start_dm_writecache() {
    must dmsetup create cached --table "0 $((BACKING_KIB * 2)) writecache s /dev/mapper/slow /dev/mapper/ssd 4096 0"
}

dm_writecache_hits() {
    set -- $(dmsetup status cached)
    echo $9
}

# Forebay through ublk: name, mode, RAM in KiB, other keys.
forebay_mapped() {
    name=$1 mode=$2 ram=$3
    shift 3
    make_devices $ram
    rm -rf /tmp/d
    mkdir /tmp/d
    start_forebay
    unmarked=
    [ $mode = write-back ] && unmarked=--allow-unmarked
    must forebay disk add disk --backing /dev/mapper/slow --mode $mode $unmarked
    must forebay disk set disk ram=${ram}KiB "$@"
    must forebay map disk
    begin ssd
    replay /dev/forebay/disk counted_hits
    dirty=$(($(forebay stats disk --json | jq '.disks[0].dirty_bytes') / 1024))
    memory=$(awk '/^RssAnon/ { print $2 }' /proc/$daemon/status)
    keep_state "" /tmp/d
    must forebay disk destage disk --wait
    stop_forebay
    end "$name" $ram "$hits" $dirty $memory ssd
    expect_content 0
    if [ $RESETS = yes ]; then
        restore_state
        rm -rf /tmp/d
        mv /tmp/kept/folder /tmp/d
        rm -rf /tmp/d/run
        start_forebay
        # The disk is served when its dirty data is known.
        until_it_is forebay map disk
        judge_reset "$name" /dev/forebay/disk counted_hits
        stop_forebay
    fi
    remove_devices
}

start_forebay() {
    forebay serve --dir /tmp/d --run-dir /tmp/d/run --pool /dev/mapper/ssd --listen-http off >>/tmp/log 2>&1 &
    daemon=$!
    until_it_is forebay disk list
}

stop_forebay() {
    must forebay unmap disk
    kill $daemon
    wait $daemon || fail "the daemon ended with status $?"
}

counted_hits() {
    forebay stats disk --json | jq '.disks[0] | .read_hits_ram + .read_hits_flash'
}

for module in brd dm_delay dm_cache dm_cache_smq dm_writecache bcache ublk_drv; do must modprobe $module; done
must rmmod brd
must modprobe brd rd_nr=3 rd_size=$LARGEST_KIB
must dd if=/dev/urandom of=/dev/ram0 bs=1M count=$((LARGEST_KIB / 1024))
echo "kernel|$(uname -r)"
