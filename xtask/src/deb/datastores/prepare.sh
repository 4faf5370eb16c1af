# What a guest of a page does before its system goes on as the first process. It has the address $address.
set -e
for module in virtio_net nvme virtio_scsi sd_mod; do modprobe $module; done
mkdir -p /next
mount -t ext4 /dev/disk/root /next
mkdir -p /next/proof /next/lib/modules
cp /root/* /next/proof/
cp -r /lib/modules/* /next/lib/modules/
cp /root/proof.service /next/etc/systemd/system/
mkdir -p /next/etc/systemd/system/multi-user.target.wants
ln -sf ../proof.service /next/etc/systemd/system/multi-user.target.wants/proof.service
# Whoever follows the page says yes.
echo 'APT::Get::Assume-Yes true;' >/next/etc/apt/apt.conf.d/90yes
# The card keeps its name.
ln -sf /dev/null /next/etc/systemd/network/99-default.link
printf '127.0.0.1 localhost\n10.0.0.1 store1\n' >/next/etc/hosts
ip addr add $address/24 dev eth0
ip link set eth0 up
