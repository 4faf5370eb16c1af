# What scripts of guests that map disks share. The daemon's files are in $D, and it serves its disks until `end_daemon`.
D=/tmp/d
POOL=/dev/disk/pool
said=/tmp/said
log=/tmp/log
export FOREBAY_SOCKET=$D/run/control.sock

fail() {
    echo "wrong: $1"
    for file in $said $log; do [ -e $file ] && tail -n 25 $file; done
    dmesg | tail -n 20
    exit 1
}

# A command that has to succeed.
must() {
    "$@" >$said 2>&1 || fail "$*"
}

# A command that has to fail and to say the first word's text.
refused() {
    words=$1
    shift
    "$@" >$said 2>&1 && fail "not refused: $*"
    grep -qF -- "$words" $said || fail "not refused with '$words': $*"
}

same() {
    [ "$2" = "$3" ] || fail "$1 is '$2' and not '$3'"
}

# With $privileges, a command in front, if it is set.
start_daemon() {
    mkdir -p $D
    $privileges forebay serve --dir $D --run-dir $D/run --pool $POOL --listen-http off >>$log 2>&1 &
    daemon=$!
    until forebay disk list >/dev/null 2>&1; do
        kill -0 $daemon || fail "the daemon ended"
        usleep 50000
    done
}

kill_daemon() {
    kill -9 $daemon
    wait $daemon
}

# Has the daemon serve what was mapped. The command gives up after 20 s, and a machine that does much else may take longer to open a pool.
restore() {
    tries=0
    until forebay map --restore >$said 2>&1; do
        tries=$((tries + 1))
        [ $tries -lt 6 ] || fail "forebay map --restore"
    done
}

# The kernel's name of a mapped disk.
device_of() {
    basename $(readlink /dev/forebay/$1)
}

# Counts in $waiting the requests of $devices that are not answered, without a program, which would take longer than most requests.
count_in_flight() {
    waiting=0
    for device in $devices; do
        read reads writes </sys/block/$device/inflight
        waiting=$((waiting + reads + writes))
    done
}

# Writes files into the folder /mnt/$1 and syncs each, until there is a file /tmp/enough: their content is a piece of /tmp/random, whose
# number stands in /tmp/at.$1.FILE once the file is synced. /tmp/written.$1 counts them.
write_files() {
    count=0
    until [ -e /tmp/enough ]; do
        file=$((count % 16))
        rm -f /tmp/at.$1.$file
        piece $count | dd of=/mnt/$1/$file bs=64k conv=fsync 2>/tmp/dd.$1 || return 1
        echo $count >/tmp/at.$1.$file
        count=$((count + 1))
        echo $count >/tmp/written.$1.new && mv /tmp/written.$1.new /tmp/written.$1
    done
}

# 4 KiB to 256 KiB from a place that the number decides.
piece() {
    dd if=/tmp/random bs=4k skip=$(($1 * 7 % 191)) count=$(($1 % 64 + 1)) 2>/dev/null
}

make_random() {
    dd if=/dev/urandom of=/tmp/random bs=1M count=1 2>/dev/null
}

written() {
    cat /tmp/written.$1 2>/dev/null || echo 0
}

# Waits until the writers of these folders have each synced two more files: the second one was begun after this was called.
until_written() {
    for folder in "$@"; do
        before=$(written $folder)
        until [ $(written $folder) -ge $((before + 2)) ]; do
            [ -e /tmp/ended.$folder ] && fail "the writer of $folder ended: $(cat /tmp/dd.$folder)"
            usleep 20000
        done
    done
}

start_writer() {
    { write_files $1; echo $? >/tmp/ended.$1; } &
}

# Every file that was synced is on the disk.
compare_files() {
    for at in /tmp/at.$1.*; do
        piece $(cat $at) | cmp - /mnt/$1/${at##*.} >$said 2>&1 || fail "file $at differs"
    done
}

# The kernel complains of a request that failed, or that was not answered for minutes.
no_complaints() {
    dmesg | grep -E 'I/O error|EXT4-fs (error|warning)|XFS.*([Cc]orrupt|error|shut)|blocked for more|BUG:|Oops' >$said && fail "the kernel complains"
}
