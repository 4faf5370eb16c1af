# What the guest does with its disk over vhost-user. Before this stand ROUNDS and `write_and_verify SEED`, which works on the
# second half of the disk.
B=/sys/block/vda
fail() {
    echo "wrong: $1"
    cat /tmp/said 2>/dev/null
    dmesg | tail -n 20
    exit 1
}
echo "sees $(cat $B/serial), $(cat $B/size) sectors, $(ls $B/mq | wc -l) queues, $(cat $B/queue/write_cache), ro $(cat $B/ro)"

# A file system on the first half, filled and checked.
mkfs.ext4 -q -F /dev/vda 32M >/tmp/said 2>&1 || fail mkfs
mount /dev/vda /mnt || fail mount
dd if=/dev/urandom of=/tmp/random bs=1M count=8 2>/tmp/said
cp /tmp/random /mnt/a && cp /tmp/random /mnt/b && rm /mnt/a && sync || fail fill
echo 3 >/proc/sys/vm/drop_caches
cmp /tmp/random /mnt/b || fail compare
umount /mnt && e2fsck -fn /dev/vda >/tmp/said 2>&1 || fail e2fsck

# What is discarded and what is zeroed reads as zeroes: the file behind it can make holes.
/usr/bin/blkdiscard -o 33554432 -l 1048576 /dev/vda >/tmp/said 2>&1 || fail discard
/usr/bin/blkdiscard -z -o 34603008 -l 1048576 /dev/vda >/tmp/said 2>&1 || fail zeroes
dd if=/dev/vda bs=1M skip=32 count=2 iflag=direct 2>/dev/null | cmp -n 2097152 - /dev/zero >/tmp/said 2>&1 || fail "read zeroes"

round=0
while [ $round -lt $ROUNDS ]; do
    round=$((round + 1))
    echo "begins $round."
    write_and_verify $round >/tmp/said 2>&1 || fail "round $round"
    echo "ended $round."
done
echo "holds $(dd if=/dev/vda bs=1M iflag=direct 2>/dev/null | sha256sum | cut -d ' ' -f 1)"
# What the kernel would say of a request that failed, or that took too long.
! dmesg | grep -E 'I/O error|blocked for more'
