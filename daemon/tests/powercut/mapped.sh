# A machine that maps its disk and writes files until the power goes. Before this stands `boot=N`, the number of this boot, and `synced=N`:
# files below that number were synced in boots before.
D=/var/lib/forebay
export FOREBAY_SOCKET=$D/run/control.sock
mkdir -p $D /mnt/files
must mount -t ext4 /dev/disk/state $D
start_daemon
if [ $boot = 0 ]; then
    must forebay disk add disk --backing /dev/disk/backing --mode write-back --allow-unmarked
    must forebay map disk
    # A write that was under way when the power went may be torn between sectors, which checksums of ext4 do not forgive.
    must mkfs.ext4 -q -F -O ^metadata_csum /dev/forebay/disk
else
    until forebay map disk >$said 2>&1; do
        grep -q "is the disk served" $said || fail "forebay map"
        usleep 50000
    done
fi
must mount -t ext4 /dev/forebay/disk /mnt/files
# The content of a file is decided by its number.
content() {
    seq $(($1 * 1000)) $(($1 * 1000 + 999 + $1 % 7 * 500))
}
number=0
while [ $number -lt $synced ]; do
    content $number | cmp - /mnt/files/$number >$said 2>&1 || fail "file $number is not what was synced"
    number=$((number + 1))
done
# What was not promised may be there or not; these are written again.
must umount /mnt/files
must e2fsck -fn /dev/forebay/disk
must mount -t ext4 /dev/forebay/disk /mnt/files
echo "same"
while :; do
    content $number >/mnt/files/$number && sync /mnt/files/$number /mnt/files || fail "file $number"
    number=$((number + 1))
    echo "synced $number"
done
