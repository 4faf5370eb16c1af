# A load on the database of /dev/disk/database. Before this stand
#   MEMORY_MIB   memory of the database and its page cache      LOAD   arguments of pgbench
#   WARM, SETTLE, SECONDS   of the load: with a fast array if not 0, with a slow one, and those that count
# Prints lines on which the host acts: `phase|slow` when the array is to become slow, `phase|count`, and `phase|end`. Then the output of
# pgbench, and a line with the requests of the guest's disk while it counted:
#   disk|reads|writes
SAID=/tmp/said

fail() {
    echo "wrong: $1"
    for file in $SAID /tmp/postgres.log; do [ -e $file ] && tail -n 25 $file; done
    dmesg | tail -n 20
    exit 1
}

must() {
    "$@" >$SAID 2>&1 || fail "$*"
}

# Waits until a command succeeds, for two minutes at most.
until_it_is() {
    tries=0
    until "$@" >$SAID 2>&1; do
        tries=$((tries + 1))
        [ $tries -lt 600 ] || fail "it never was: $*"
        usleep 200000
    done
}

# Runs the load for so many seconds, with this seed.
load() {
    must su postgres -c "pgbench -n -h /tmp -M prepared -T $1 --random-seed=$2 $LOAD postgres"
}

# Sets reads and writes of the disk so far.
count() {
    read reads _ _ _ writes _ </sys/block/vda/stat
}

# The last one is where PostgreSQL expects its libraries; it needs none of them.
mkdir -p /db /cg /usr/lib
must mount -t ext4 -o noatime /dev/disk/database /db
must mount -t cgroup2 none /cg
echo +memory >/cg/cgroup.subtree_control
mkdir /cg/database
# What is written reaches the disk within seconds, so that a run of a minute has its writes.
echo 100 >/proc/sys/vm/dirty_expire_centisecs
echo 100 >/proc/sys/vm/dirty_writeback_centisecs
echo $((MEMORY_MIB << 20)) >/cg/database/memory.max
echo "postgres:x:$(stat -c %u:%g /db/data)::/tmp:/bin/sh" >/etc/passwd
chmod 1777 /tmp
(
    # Of the shell in parentheses, which becomes the database.
    sh -c 'echo $PPID' >/cg/database/cgroup.procs
    exec su postgres -c "exec postgres -D /db/data" >/tmp/postgres.log 2>&1
) &
until_it_is su postgres -c "pgbench -n -h /tmp -t 1 -f /root/ready.pgbench postgres"
if [ $WARM != 0 ]; then
    load $WARM 1
    # The array is served by another process from here on. A flush of writes that only the first one knew would fail.
    must fsfreeze --freeze /db
    must dd if=/dev/null of=/dev/disk/database conv=notrunc,fsync
    echo "phase|slow"
    sleep 3
    must fsfreeze --unfreeze /db
fi
load $SETTLE 2
count
reads_before=$reads writes_before=$writes
echo "phase|count"
load $SECONDS 3
count
echo "phase|end"
cat $SAID
echo "disk|$((reads - reads_before))|$((writes - writes_before))"
echo "memory of the database: $(grep -E '^(anon|file) ' /cg/database/memory.stat | xargs) bytes"
echo "processor since the boot: $(head -n 1 /proc/stat)"
exit 0
