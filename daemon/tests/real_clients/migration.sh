# What the guest does while it moves to another QEMU. Before this stands `write_vda SEED`. Told is a word on ttyS3, of the QEMU that it is
# in at the time.
fail() {
    echo "wrong: $1"
    cat /tmp/said 2>/dev/null
    dmesg | tail -n 20
    exit 1
}

next_word() {
    read word <&3 && [ "$word" = "$1" ] || fail "word '$word' instead of '$1'"
}

# So many pieces of what the pipe brings.
pieces() {
    dd bs=64k count=$1 iflag=fullblock 2>/dev/null <&5
}

exec 3</dev/ttyS3
stty raw <&3
# A program with a buffer for half of the disk, which it fills with the second half when somebody has taken the first one.
mkfifo /tmp/halves
dd if=/dev/vdb of=/tmp/halves bs=8M count=2 iflag=direct 2>/dev/null &
exec 5</tmp/halves
pieces 1 >/tmp/first
(
    round=0
    until [ -e /tmp/enough ]; do
        round=$((round + 1))
        write_vda $round >/tmp/said 2>&1 || exit 1
    done
) &
fio=$!
# Memory that is never the same for long, so that the migration does not end before it is to.
dd if=/dev/urandom of=/dev/null bs=16M 2>/dev/null &
changing=$!
echo "booted"

next_word read
pieces 127 >/dev/null
echo "took the first half"
next_word remember
kill $changing
echo "remembers $(pieces 128 | sha256sum | cut -d ' ' -f 1)"
next_word end
touch /tmp/enough
wait $fio || fail "fio"
for disk in vda vdb; do
    echo "$(cat /sys/block/$disk/serial) holds $(dd if=/dev/$disk bs=1M iflag=direct 2>/dev/null | sha256sum | cut -d ' ' -f 1)"
done
# What the kernel would say of a request that failed, or that took too long.
! dmesg | grep -E 'I/O error|blocked for more'
