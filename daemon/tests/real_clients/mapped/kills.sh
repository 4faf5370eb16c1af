# File systems on mapped disks, in each mode, while the daemon is killed KILLS times.
make_random
start_daemon
must modprobe xfs
folders="ext4-write-through ext4-write-back xfs-write-through xfs-write-back"
for disk in $folders; do
    must forebay disk add $disk --backing /dev/disk/$disk --mode ${disk#*-} --allow-unmarked
    must forebay map $disk
    mkdir /mnt/$disk
    case $disk in
        ext4*) must mkfs.ext4 -q -F /dev/forebay/$disk ;;
        # It is smaller than a file system that anybody should use, and mkfs says so.
        *) must mkfs.xfs -q -f --unsupported /dev/forebay/$disk ;;
    esac
    must mount -t ${disk%%-*} /dev/forebay/$disk /mnt/$disk
    start_writer $disk
done
echo "begins to write"
devices=
for disk in $folders; do devices="$devices $(device_of $disk)"; done
kills=0 with_requests=0
while [ $kills -lt $KILLS ]; do
    until_written $folders
    looks=0
    while count_in_flight; [ $waiting -lt 2 ] && [ $looks -lt 500 ]; do looks=$((looks + 1)); done
    kill_daemon
    count_in_flight
    [ $waiting -gt 0 ] && with_requests=$((with_requests + 1))
    start_daemon
    restore
    kills=$((kills + 1))
    echo "kill $kills: $waiting requests wait, $(cut -d ' ' -f 1 /proc/uptime) s"
done
until_written $folders
touch /tmp/enough
for disk in $folders; do
    until [ -e /tmp/ended.$disk ]; do usleep 20000; done
    same "the writer of $disk" $(cat /tmp/ended.$disk) 0
    must umount /mnt/$disk
done
echo 3 >/proc/sys/vm/drop_caches
for disk in $folders; do
    case $disk in
        ext4*) must e2fsck -fn /dev/forebay/$disk ;;
        *) must xfs_repair -n /dev/forebay/$disk ;;
    esac
    must mount -t ${disk%%-*} /dev/forebay/$disk /mnt/$disk
    compare_files $disk
    must fstrim /mnt/$disk
    compare_files $disk
    must umount /mnt/$disk
    must forebay unmap $disk
done
kill $daemon
wait $daemon || fail "it stopped with status $?"
no_complaints
echo "$with_requests of $kills kills had requests in flight"
exit 0
