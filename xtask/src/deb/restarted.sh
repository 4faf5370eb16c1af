#!/bin/sh
# The second boot of the host that prove.sh shut down: what is on mapped disks is there again, and the package goes. As there, it ends at
# the first thing that is not as it should be.
set -eux
export DEBIAN_FRONTEND=noninteractive LC_ALL=C
cd /proof

: file systems of fstab are mounted again by themselves
timeout 500 sh -c 'for place in /srv/files /srv/group; do until mountpoint -q $place; do sleep 0.2; done; done'
for place in /srv/files /srv/group; do cmp written $place/written; done
systemctl show -p After srv-files.mount | grep -q forebay-mapped.service

: before, everything was unmounted by then and the daemon ended after that
journalctl -b -1 -o cat _PID=1 >ended
line_of() { grep -nF "$1" ended | tail -n 1 | cut -d : -f 1 | grep .; }
stopped=$(line_of 'Stopped forebay.service')
for event in 'Unmounted srv-files.mount' 'Unmounted srv-group.mount' 'Stopped forebay-mapped.service' 'mnt.mount: Deactivated'; do
    test "$(line_of "$event")" -lt $stopped
done
journalctl -b -1 -u forebay-mapped --no-pager | tee said
grep -c 'By force\|Failed' said | grep -qx 0
journalctl -b -1 -k -o cat --no-pager | grep -c 'I/O error\|EXT4-fs error' | grep -qx 0

: and clean
forebay map byhand
for device in /dev/forebay/byhand /dev/group/volume /dev/forebay/files; do
    umount $device 2>/dev/null || [ $device = /dev/forebay/byhand ]
    dumpe2fs -h $device 2>/dev/null | grep -q 'state: *clean$'
    e2fsck -fn $device
done
mount /dev/forebay/byhand /mnt
cmp written /mnt/written

: everything is unmounted and unmapped on request
for disk in files group; do forebay disk set $disk map=off; done
vgchange -q -an group
systemctl stop forebay-mapped forebay
ls -d /sys/block/ublkb* | grep -c . | grep -qx 0
test ! -e /dev/mapper/group-volume
systemctl start forebay
forebay map | grep -q 'No disk is mapped'
for disk in files group byhand; do
    test ! -h /dev/forebay/$disk
    forebay disk remove $disk
done
sed -i '/forebay-mapped/d' /etc/fstab
systemctl daemon-reload

: removed: stopped, the state kept
nbdcopy 'nbd+unix:///web1?socket=/run/forebay/nbd/web1.sock' - | sleep infinity &
until forebay disk list --json | grep -q '"connections":[1-9]'; do sleep 0.2; done
if dpkg -r forebay 2>said; then exit 1; fi
cat said
grep -q 'guests use 1 disks' said
systemctl is-active forebay
kill $!
while forebay disk list --json | grep -q '"connections":[1-9]'; do sleep 0.2; done
dpkg -r forebay 2>said
cat said
grep -q 'What guests wrote is on the backings' said
if systemctl is-active forebay; then exit 1; fi
test -e /var/lib/forebay/state.json
test -e /run/forebay
printf 'what was there before' | cmp -n 21 - /srv/web1.raw

: installed again: the disks are still known
dpkg -i forebay_2.deb
forebay disk list --json | grep -q '"serving".*"serving"'

: purged while the pool has what a backing lacks: that stays, and is there when the package is back
# A rate at which a slow machine finds something dirty after all that follows.
head -c 1M /dev/urandom >written
forebay disk set web1 mode=write-back destage-rate-max=1KiB
nbdcopy written 'nbd+unix:///web1?socket=/run/forebay/nbd/web1.sock'
if dpkg -P forebay 2>said; then exit 1; fi
cat said
grep -q 'the pool has what the backings of 1 disks do not' said
systemctl stop forebay
dpkg -P forebay 2>said
cat said
grep -q 'do not use those without it' said
grep -q 'Kept /var/lib/forebay' said
if cmp -n 1M written /srv/web1.raw; then exit 1; fi
dpkg -i forebay_2.deb
nbdcopy 'nbd+unix:///web1?socket=/run/forebay/nbd/web1.sock' - | cmp -n 1M - written
forebay disk set web1 destage-rate-max=0
forebay disk destage web1 --wait
cmp -n 1M written /srv/web1.raw

: purged: nothing of it is left, the backings are as they were
dpkg -P forebay
test ! -e /var/lib/forebay
test ! -e /run/forebay
test ! -e /etc/forebay
cmp -n 1M written /srv/web1.raw
systemctl --failed --no-legend --plain | grep -c forebay | grep -qx 0
echo PROVEN
