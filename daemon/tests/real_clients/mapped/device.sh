# One guest that maps disks: what they are, what is refused, volumes on them, an orderly stop, fio. Before this stand `fio_writes SEED` and
# `fio_verifies SEED`, which work on /dev/forebay/fio.
make_random
start_daemon
for disk in web fio; do must forebay disk add $disk --backing /dev/disk/$disk; done
must forebay disk add large-sectors --backing /dev/disk/large --sector-size 4096

# Without the modules, with a cgroup that denies devices, and without io_uring.
mkdir /tmp/without
printf '#!/bin/sh\nexit 1\n' >/tmp/without/modprobe
chmod +x /tmp/without/modprobe
PATH=/tmp/without:$PATH refused "modprobe ublk_drv" forebay map web
grep -q "modprobe nbd" $said || fail "nothing is said of the other driver"
must modprobe ublk_drv
must modprobe mq-deadline
mkdir /tmp/cgroup
must mount -t cgroup -o devices cgroup /tmp/cgroup
mkdir /tmp/cgroup/denied
in_denied() {
    sh -c 'echo $$ >/tmp/cgroup/denied/cgroup.procs; exec "$@"' sh "$@"
}
echo a >/tmp/cgroup/denied/devices.deny
refused "whose cgroup denies devices" in_denied forebay map web
echo "c 10:* rwm" >/tmp/cgroup/denied/devices.allow
refused "whose cgroup denies devices" in_denied forebay map web
same "devices" "$(ls /sys/class/ublk-char)" ""
echo 2 >/proc/sys/kernel/io_uring_disabled
refused "io_uring_disabled=0" forebay map web
echo 0 >/proc/sys/kernel/io_uring_disabled

# Before it is mapped.
refused "'nothing'" forebay map nothing
refused "it is not mapped" forebay unmap web
refused "begins with /" forebay map web --as relative
echo mine >/dev/mine
refused "something else is there" forebay map web --as /dev/mine
same "a file in the way" "$(cat /dev/mine)" mine

# A disk like any other. As long as there is one, the memory of the daemon is locked.
locked_memory() {
    while read name kib rest; do [ $name = VmLck: ] && echo $kib; done </proc/$daemon/status
}
same "locked memory" $(locked_memory) 0
must forebay map web
grep -q Note: $said && fail "a note: $(cat $said)"
[ $(locked_memory) -gt 4096 ] || fail "locked memory is $(locked_memory) KiB"
device=$(device_of web)
S=/sys/block/$device
same "the size" $(cat $S/size) 131072
same "read-only" $(cat $S/ro) 0
same "the logical block" $(cat $S/queue/logical_block_size) 512
same "the physical block" $(cat $S/queue/physical_block_size) $(cat /sys/block/$(basename $(readlink /dev/disk/web))/queue/physical_block_size)
same "FUA" $(cat $S/queue/fua) 1
same "the I/O scheduler" "$(cat $S/queue/scheduler)" "[none] mq-deadline "
same "the time after which requests are looked at" $(cat $S/queue/io_timeout) 2000
same "the write cache" "$(cat $S/queue/write_cache)" "write back"
[ $(cat $S/queue/discard_max_bytes) -ge 1048576 ] || fail "it discards nothing"
[ $(cat $S/queue/write_zeroes_max_bytes) -ge 1048576 ] || fail "it zeroes nothing"
refused "it is mapped already" forebay map web
must forebay map
grep -q "^web .*/dev/$device .*/dev/forebay/web .*served" $said || fail "the list"
refused "mapped" forebay disk remove web
refused "mapped" forebay disk remove web --force

must dd if=/tmp/random of=/dev/forebay/web bs=64k oflag=direct
must dd if=/dev/forebay/web of=/tmp/read bs=64k count=16 iflag=direct
must cmp /tmp/random /tmp/read
dd if=/dev/disk/web bs=64k count=16 iflag=direct 2>/dev/null | cmp - /tmp/random || fail "the backing differs"
must /usr/bin/blkdiscard -o 0 -l 524288 /dev/forebay/web
must /usr/bin/blkdiscard -z -o 524288 -l 524288 /dev/forebay/web
dd if=/dev/forebay/web bs=64k count=16 iflag=direct 2>/dev/null | cmp -n 1048576 - /dev/zero || fail "not zeroes"
echo "a disk like any other"

# Read-only, with large sectors, elsewhere.
must forebay map large-sectors --read-only --as /dev/elsewhere
S=/sys/block/$(basename $(readlink /dev/elsewhere))
same "the logical block" $(cat $S/queue/logical_block_size) 4096
same "read-only" $(cat $S/ro) 1
dd if=/dev/zero of=/dev/elsewhere bs=4096 count=1 oflag=direct 2>$said && fail "a write of what is read-only"
must forebay unmap large-sectors
[ -h /dev/elsewhere ] && fail "the link stays"

# Without privileges: a container's root, and a user.
refused "not permitted" /usr/bin/setpriv --bounding-set -sys_admin --inh-caps -sys_admin forebay map fio
refused "root" /usr/bin/setpriv --reuid 1000 --regid 1000 --clear-groups forebay map fio

# A disk that waits for its backing, and a second daemon with a disk of the same name.
truncate -s 8M /tmp/late.img
must forebay disk add late --backing /tmp/late.img
first=$daemon
(
    D=/tmp/second POOL=/tmp/second.pool
    export FOREBAY_SOCKET=$D/run/control.sock
    truncate -s 16M /tmp/second.img /tmp/second.pool
    refused "already" forebay serve --dir /tmp/d --run-dir $D/run --pool $POOL --listen-http off
    # It may not lock memory.
    ulimit -l 64
    privileges="/usr/bin/setpriv --bounding-set -ipc_lock --inh-caps -ipc_lock"
    start_daemon
    must forebay disk add web --backing /tmp/second.img
    refused "something else is there" forebay map web --as /dev/forebay
    must forebay map web --as /dev/second
    grep -q "Note: .*has not locked its memory" $said || fail "no note of locked memory"
    same "locked memory" $(locked_memory) 0
    until forebay events | grep -q "memory of this process cannot be locked"; do usleep 100000; done
    [ $(readlink /dev/second) != /dev/$device ] || fail "two disks are one device"
    same "the size" $(cat /sys/block/$(basename $(readlink /dev/second))/size) 32768
    must forebay unmap web
    kill $daemon && wait $daemon || fail "the second daemon"
) || exit 1
same "the device of the first daemon" $(device_of web) $device
echo "privileges and names"

# A file system is in the way of unmap and of remove, also if somebody removes the node of its device.
must mkfs.ext4 -q -F /dev/forebay/web
mkdir /mnt/web
must mount -t ext4 /dev/forebay/web /mnt/web
for word in /mnt/web --force; do
    refused $word forebay unmap web
done
refused "mapped" forebay disk remove web --force
mv /dev/$device /dev/hidden
refused /mnt/web forebay unmap web
mv /dev/hidden /dev/$device
mv /dev/ublkc${device#ublkb} /dev/hidden
refused "it is mapped already" forebay map web
refused /mnt/web forebay unmap web
mv /dev/hidden /dev/ublkc${device#ublkb}
must umount /mnt/web
exec 7</dev/$device
refused "open by" forebay unmap web
exec 7<&-

# Volumes on it, and an orderly stop under a file system on them: a pause.
must modprobe dm_mod
must lvm pvcreate -y /dev/$device
must lvm vgcreate group /dev/$device
must lvm lvcreate -y -Wn -Zn -l 100%FREE -n volume group
refused "volume" forebay unmap web
must mkfs.ext4 -q -F /dev/mapper/group-volume
must mount -t ext4 /dev/mapper/group-volume /mnt/web
start_writer web
until_written web
kill $daemon
wait $daemon || fail "it stopped with status $?"
rm /tmp/late.img
start_daemon
must forebay map
grep -q "^web .*waits for the daemon" $said || fail "the list"
must forebay map --restore
refused "late" forebay map late
until_written web
touch /tmp/enough
until [ -e /tmp/ended.web ]; do usleep 20000; done
rm /tmp/enough
same "the writer" $(cat /tmp/ended.web) 0
must umount /mnt/web
must mount -t ext4 /dev/mapper/group-volume /mnt/web
compare_files web
must umount /mnt/web
must e2fsck -fn /dev/mapper/group-volume
must lvm vgchange -an group
echo "volumes and an orderly stop"

# Swap space on it is said.
must mkswap /dev/forebay/web
must swapon /dev/forebay/web
must forebay map
grep -q "Note: disk 'web': swap space is on it" $said || fail "the list does not say that swap is there"
refused "swap" forebay unmap web
until forebay events | grep -q 'Swap space of this host .* is on disk'; do usleep 100000; done
must swapoff /dev/forebay/web
must forebay map
grep -q Note: $said && fail "the list says that swap is there"

# Killed with 64 requests in flight, and with as many as a device takes: stopped before, it answers none of them.
devices=$(device_of web)
for many in 64 140; do
    kill -STOP $daemon
    # Each of its threads may still answer until it has stopped.
    while grep -q 'State:.[RSD]' /proc/$daemon/task/*/status; do usleep 1000; done
    writers= block=0
    while [ $block -lt $many ]; do
        dd if=/tmp/random of=/dev/forebay/web bs=4k skip=$block seek=$((many + block)) count=1 oflag=direct conv=notrunc 2>/dev/null &
        writers="$writers $!"
        block=$((block + 1))
    done
    until count_in_flight; [ $waiting -ge $((many < 128 ? many : 128)) ]; do usleep 10000; done
    kill_daemon
    start_daemon
    must forebay map --restore
    for writer in $writers; do wait $writer || fail "a writer of $many"; done
    dd if=/dev/forebay/web bs=4k skip=$many count=$many iflag=direct 2>/dev/null | cmp -n $((many * 4096)) - /tmp/random || fail "what $many wrote"
done
echo "swap and full queues"

# fio, and a kill in the middle.
must forebay map fio
device=$(device_of fio)
fio_writes 1 >/tmp/fio 2>&1 &
fio=$!
devices=$device
until count_in_flight; [ $waiting -ge 8 ]; do
    kill -0 $fio || fail "fio never had 8 requests in flight"
done
kill_daemon
# It waits for what it asked. The kernel may count none of that now, as it has taken it back to give it to the next daemon.
kill -0 $fio || fail "fio ended before the kill"
start_daemon
must forebay map --restore
wait $fio || { cat /tmp/fio; fail "fio"; }
must fio_verifies 1
echo "fio"

# A device that waits belongs to the disk that it was made of, and to no later one of its name.
truncate -s 8M /tmp/earlier.img /tmp/later.img
must forebay disk add twin --backing /tmp/earlier.img
must forebay map twin
kill_daemon
start_daemon
must forebay disk remove twin --force
must forebay disk add twin --backing /tmp/later.img
refused "an earlier disk of this name" forebay map twin
refused "an earlier disk of this name" forebay map --restore
must forebay map
grep -q "^web .*served" $said || fail "a disk that cannot be served keeps others waiting"
grep -q "^twin .*of an earlier disk" $said || fail "the list"
must forebay unmap twin --force

# Two commands at once make one device.
forebay map twin >/tmp/one 2>&1 &
one=$!
forebay map twin >/tmp/two 2>&1 && two=0 || two=1
wait $one && one=0 || one=1
same "commands that mapped it" $((one + two)) 1
same "devices" $(ls -d /sys/block/ublkb* | wc -l) 3
must forebay unmap twin
must forebay disk remove twin
echo "earlier disks and several commands"

for disk in web fio; do
    must forebay unmap $disk
    [ -h /dev/forebay/$disk ] && fail "the link stays"
    must forebay disk remove $disk
done
until [ $(locked_memory) = 0 ]; do usleep 20000; done
must forebay map
grep -q "No disk is mapped" $said || fail "the list at the end"
no_complaints

# By force from a file system, which sees errors: the name is free at once.
must forebay disk add web --backing /dev/disk/web
must forebay map web
must mkfs.ext4 -q -F /dev/forebay/web
must mount -t ext4 /dev/forebay/web /mnt/web
must forebay unmap web --force
[ -h /dev/forebay/web ] && fail "the link stays"
must forebay map web
umount /mnt/web
must forebay unmap web
kill $daemon
wait $daemon || fail "it stopped with status $?"
exit 0
