#!/bin/busybox sh
# The first process of a guest: mounts what programs expect, runs /script, and tells its exit status.
# ttyS0 is the kernel's console, ttyS1 the output of the script, ttyS2 its exit status.
/bin/busybox --install -s /bin
export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C DM_DISABLE_UDEV=1
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mkdir -p /dev/pts /dev/shm /dev/disk /run /tmp /root
mount -t devpts pts /dev/pts
for folder in /dev/shm /run /tmp; do mount -t tmpfs tmpfs $folder; done
stty -F /dev/ttyS1 raw
stty -F /dev/ttyS2 raw
ln -s /proc/self/fd /dev/fd
ip link set lo up
for module in virtio_pci virtio_blk; do modprobe $module; done
# A disk is known to the script by the name that the caller gave it.
for disk in /sys/block/vd*; do
    [ -e $disk/serial ] && ln -s /dev/${disk##*/} /dev/disk/$(cat $disk/serial)
done
cd /root
sh /script >/dev/ttyS1 2>&1 </dev/null
status=$?
# A script that mounted a whole system at /next has only prepared it: that system goes on as the first process, and tells
# the exit status itself.
[ $status = 0 ] && [ -h /next/sbin/init ] && exec switch_root /next /sbin/init
echo $status >/dev/ttyS2
# After a failure something may be mounted that answers no more: a sync would wait for it.
[ $status = 0 ] || poweroff -nf
poweroff -f
