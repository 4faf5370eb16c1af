# What the guest does with its disks, over either door. Before this stand `write_vda SEED` and `write_vdb SEED`, which work on the
# second half of each disk. Told is a word on ttyS3.
fail() {
    echo "wrong: $1"
    cat /tmp/said 2>/dev/null
    dmesg | tail -n 20
    exit 1
}

sees() {
    B=/sys/block/$1
    echo "sees $(cat $B/serial), $(cat $B/size) sectors, $(ls $B/mq | wc -l) queues, $(cat $B/queue/write_cache), ro $(cat $B/ro)"
}

sees vda
sees vdb

# Fills the mounted file system, and compares what is read back.
fill() {
    dd if=/dev/urandom of=/tmp/random bs=1M count=$1 2>/tmp/said
    cp /tmp/random /mnt/a && cp /tmp/random /mnt/b && rm /mnt/a && sync || fail fill
    echo 3 >/proc/sys/vm/drop_caches
    cmp /tmp/random /mnt/b || fail compare
    umount /mnt || fail umount
}

# A file system on the first half of each disk, filled and checked.
mkfs.ext4 -q -F /dev/vda 32M >/tmp/said 2>&1 || fail mkfs.ext4
mount -t ext4 /dev/vda /mnt || fail "mount ext4"
fill 8
e2fsck -fn /dev/vda >/tmp/said 2>&1 || fail e2fsck

modprobe xfs || fail "no XFS"
# It is smaller than a file system that anybody should use, and mkfs says so.
mkfs.xfs -q -f --unsupported -d size=32m /dev/vdb >/tmp/said 2>&1 || fail mkfs.xfs
mount -t xfs /dev/vdb /mnt || fail "mount xfs"
fill 4
xfs_repair -n /dev/vdb >/tmp/said 2>&1 || fail xfs_repair

# What is discarded and what is zeroed reads as zeroes: the files behind it can make holes.
for disk in vda vdb; do
    dd if=/dev/urandom of=/dev/$disk bs=1M seek=32 count=2 oflag=direct 2>/tmp/said || fail "write $disk"
    /usr/bin/blkdiscard -o 33554432 -l 1048576 /dev/$disk >/tmp/said 2>&1 || fail "discard $disk"
    /usr/bin/blkdiscard -z -o 34603008 -l 1048576 /dev/$disk >/tmp/said 2>&1 || fail "zeroes $disk"
    dd if=/dev/$disk bs=1M skip=32 count=2 iflag=direct 2>/dev/null | cmp -n 2097152 - /dev/zero >/tmp/said 2>&1 || fail "read zeroes $disk"
done
echo "file systems are whole"

# A disk that is plugged in meanwhile, which nobody may write to, and is taken out again.
until [ -b /dev/vdc ]; do sleep 0.1; done
sees vdc
dd if=/dev/vdc of=/dev/null bs=1M count=1 iflag=direct 2>/tmp/said || fail "read vdc"
dd if=/dev/zero of=/dev/vdc bs=512 count=1 oflag=direct 2>/tmp/said && fail "write vdc"
echo "may not write to fixed"
while [ -b /dev/vdc ]; do sleep 0.1; done
echo "fixed is gone"

# Both disks are written to, time after time, until it is enough. Meanwhile, when told to look, a page that is in the cache is read
# through each queue.
keep_writing() {
    seed=0
    until [ -e /tmp/enough ]; do
        seed=$((seed + 1))
        write_$1 $seed >/tmp/$1 2>&1 || return 1
    done
}
look() {
    for mask in 1 2 4 8; do
        taskset $mask dd if=/dev/vda of=/dev/null bs=4k count=1 iflag=direct 2>/tmp/said || fail "look"
    done
}
exec 3</dev/ttyS3
stty raw <&3
look
keep_writing vda &
vda=$!
keep_writing vdb &
vdb=$!
echo "begins to write"
while read word <&3 && [ "$word" = look ]; do
    look
    echo "looked"
done
touch /tmp/enough
wait $vda || { cat /tmp/vda; fail "fio on vda"; }
wait $vdb || { cat /tmp/vdb; fail "fio on vdb"; }
echo "has verified"

# What the file systems hold has not changed since.
e2fsck -fn /dev/vda >/tmp/said 2>&1 || fail "e2fsck at the end"
xfs_repair -n /dev/vdb >/tmp/said 2>&1 || fail "xfs_repair at the end"

# The disks grow to 96 MiB, of which the guest is told in the end, and a mounted file system with the first one.
mount -t ext4 /dev/vda /mnt || fail "mount before it grows"
echo "may grow"
for disk in vda vdb; do
    until [ "$(cat /sys/block/$disk/size)" = 196608 ]; do sleep 0.1; done
done
resize2fs /dev/vda >/tmp/said 2>&1 || fail resize2fs
fill 36
e2fsck -fn /dev/vda >/tmp/said 2>&1 || fail "e2fsck of what grew"
dd if=/tmp/random of=/dev/vdb bs=1M seek=60 count=36 oflag=direct 2>/tmp/said || fail "write behind the old end"
for disk in vda vdb; do
    echo "$(cat /sys/block/$disk/serial) holds $(dd if=/dev/$disk bs=1M iflag=direct 2>/dev/null | sha256sum | cut -d ' ' -f 1)"
done
# What the kernel would say of a request that failed, or that took too long.
! dmesg | grep -E 'I/O error|blocked for more'
