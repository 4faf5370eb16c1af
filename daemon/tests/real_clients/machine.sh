# What the guest does: fio on both disks, round after round, until it is told to end. Before this stand
# `write_and_verify DISK SEED` and `verify DISK SEED`.
#
# Told is one word a line on ttyS3: `end`, `sums-N` or `round-N`. A word that came after a round has begun counts from the
# next one on, so that `ended round-N.` tells of a whole round after the word was said.
modprobe virtio_scsi
modprobe sd_mod
until [ -b /dev/sda ]; do sleep 0.1; done
ln -s /dev/sda /dev/disk/scsi
# Opened before anybody is told that the guest has booted: what is said to a line that nobody has open is lost.
exec 3</dev/ttyS3
stty raw <&3
echo none >/tmp/word
while read word; do
    echo "$word" >/tmp/next && mv /tmp/next /tmp/word
done <&3 &

on_both() {
    "$1" blk "$2" >/tmp/blk 2>&1 &
    "$1" scsi "$2" >/tmp/scsi 2>&1
    scsi=$?
    wait $! && [ $scsi = 0 ] && return
    echo "wrong: round $2"
    cat /tmp/blk /tmp/scsi
    dmesg | tail -n 20
    exit 1
}

sums() {
    for disk in blk scsi; do
        echo "$disk holds $(dd if=/dev/disk/$disk bs=1M iflag=direct 2>/dev/null | sha256sum)"
    done
}

echo booted
round=0
while word=$(cat /tmp/word) && [ "$word" != end ]; do
    case $word in
    sums-*)
        sums
        while [ "$(cat /tmp/word)" = "$word" ]; do sleep 0.1; done
        ;;
    *)
        round=$((round + 1))
        on_both write_and_verify $round
        echo "ended $word."
        ;;
    esac
done
on_both verify $round
sums
# What the kernel would say of a request that failed, or that took too long.
! dmesg | grep -E 'I/O error|blocked for more'
