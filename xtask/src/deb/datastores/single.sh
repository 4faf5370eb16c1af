# The parts of the page, on one host that is its own client: a target and its initiator, volumes for containers, a disk as a file.
set -eux -o pipefail
export LC_ALL=C DEBIAN_FRONTEND=noninteractive HOME=/root
cd /proof
apt-get install --yes ./forebay_*_amd64.deb acl
mkdir /srv/images
for name in lun1 containers web1; do
    truncate -s 128M /srv/images/$name.raw
    setfacl -m u:forebay:rw /srv/images/$name.raw
done
head -c 4M /dev/urandom >random

: a disk as a file
bash -eux -o pipefail make-the-file-1.sh
dd if=random of=/srv/web1/disk.img bs=64k conv=notrunc,fsync
cmp -n 4M random /srv/web1/disk.img
bash -eux -o pipefail end-it-1.sh
cmp -n 4M random /srv/images/web1.raw

: volumes for containers
bash -eux -o pipefail containers-1.sh
cp random /srv/web/random
sync
umount /srv/web
e2fsck -fn /dev/containers/web
vgchange -an containers
forebay unmap containers
# As at a boot: the disk is mapped, LVM finds the group, and the line of fstab mounts it.
systemctl start forebay-restore
systemctl start srv-web.mount
cmp random /srv/web/random
umount /srv/web
vgchange -an containers
forebay unmap containers

: a target and an initiator
bash -eux -o pipefail the-target-1.sh
bash -eux -o pipefail the-target-2.sh
bash -eux -o pipefail an-initiator-1.sh
until ls /dev/disk/by-path/*iscsi*lun-0; do sleep 0.2; done
lun=$(basename $(readlink -f /dev/disk/by-path/*iscsi*lun-0))
# The cache is told of, and flushes and FUA reach Forebay.
test "$(cat /sys/block/$lun/queue/write_cache)" = 'write back'
test "$(cat /sys/block/$lun/queue/fua)" = 1
flushes() { awk '{ print $16 }' /sys/block/$(basename $(readlink /dev/forebay/lun1))/stat; }
before=$(flushes)
dd if=random of=/dev/$lun bs=64k oflag=direct conv=fsync
test $(flushes) -gt $before
dd if=/dev/forebay/lun1 bs=1M count=4 iflag=direct | cmp - random
iscsiadm --mode node --logout
# As at a boot: the target goes and is set up again by its service.
systemctl stop rtslib-fb-targetctl
test ! -e /sys/kernel/config/target/core/iblock_0/lun1
systemctl start rtslib-fb-targetctl
test -e /sys/kernel/config/target/core/iblock_0/lun1
targetcli clearconfig confirm=True
forebay unmap lun1
if journalctl -k --no-pager | grep -E 'EXT4-fs (error|warning)|I/O error|BUG:|Oops'; then exit 1; fi
echo PROVEN
