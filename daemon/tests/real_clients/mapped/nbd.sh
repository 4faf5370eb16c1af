# A disk mapped by the kernel's NBD client, on a kernel without ublk: the daemon is killed under load, and nothing is lost.
make_random
start_daemon
must forebay disk add web --backing /dev/disk/web --mode write-back --allow-unmarked
modprobe ublk_drv 2>/dev/null && fail "this kernel has ublk"
refused 'modprobe ublk_drv' forebay map web --driver ublk
refused 'is not mapped' forebay unmap web
must forebay map web
device_of web | grep -q '^nbd' || fail "the device is $(device_of web)"
refused 'is mapped already' forebay map web
mkdir /mnt/web
must mkfs.ext4 -q -F /dev/forebay/web
must mount -t ext4 /dev/forebay/web /mnt/web
refused '/mnt/web' forebay unmap web
refused 'is mapped' forebay disk remove web --force
start_writer web
forebay map --watch >/tmp/watch 2>&1 &
watcher=$!
kills=0
while [ $kills -lt $KILLS ]; do
    until_written web
    kill_daemon
    start_daemon
    # Else the watcher has it served.
    [ $((kills % 2)) = 0 ] && must forebay map --restore
    kills=$((kills + 1))
    echo "kill $kills, $(cut -d ' ' -f 1 /proc/uptime) s"
done
until_written web
kill -0 $watcher || fail "the watcher ended: $(cat /tmp/watch)"
kill $watcher
grep -q "is served as" /tmp/watch || fail "the watcher did nothing: $(cat /tmp/watch)"
touch /tmp/enough
until [ -e /tmp/ended.web ]; do usleep 20000; done
same "the writer" $(cat /tmp/ended.web) 0
must umount /mnt/web
echo 3 >/proc/sys/vm/drop_caches
must e2fsck -fn /dev/forebay/web
must mount -t ext4 /dev/forebay/web /mnt/web
compare_files web
must umount /mnt/web
must forebay unmap web
[ -e /dev/forebay/web ] && fail "the link is still there"
must forebay disk remove web
kill $daemon
wait $daemon || fail "it stopped with status $?"
no_complaints
exit 0
