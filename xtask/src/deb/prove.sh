#!/bin/sh
# The life of the package on a host with systemd, run as root by the guest's only service. Ends at the first thing that is
# not as it should be; what it tried is the last line that it prints.
set -eux
export DEBIAN_FRONTEND=noninteractive LC_ALL=C
cd /proof
truncate -s 32M /srv/web1.raw /srv/web2.raw /srv/byhand.raw /srv/files.raw
truncate -s 64M /srv/group.raw
printf 'what was there before' | dd of=/srv/web1.raw conv=notrunc status=none

: installed, started, and ready
dpkg -i forebay_1.deb
systemctl is-active forebay
systemctl is-enabled forebay
systemctl show -p User -p StatusText forebay
systemctl show -p StatusText forebay | grep -q '0 disks served, 0 waiting'
test "$(stat -c %U:%a /var/lib/forebay)" = forebay:700
test "$(stat -c %U:%G:%a /run/forebay/control.sock)" = forebay:forebay:660

: a backing that user forebay may not open is an error that says what to do
chmod 600 /srv/web1.raw
if forebay disk add web1 --backing /srv/web1.raw 2>refused; then exit 1; fi
cat refused
grep -q 'web1.raw' refused

: a disk, read over NBD
chmod 644 /srv/web1.raw
if forebay disk add web1 --backing /srv/web1.raw 2>refused; then exit 1; fi
grep -q 'setfacl -m u:forebay:rw /srv/web1.raw' refused
chown forebay /srv/web1.raw /srv/web2.raw
forebay disk add web1 --backing /srv/web1.raw
forebay disk add web2 --backing /srv/web2.raw --socket-mode 0600
test "$(stat -c %U:%G:%a /run/forebay/nbd/web1.sock)" = forebay:forebay:660
test "$(stat -c %U:%G:%a /run/forebay/nbd/web2.sock)" = forebay:forebay:600
nbdcopy 'nbd+unix:///web1?socket=/run/forebay/nbd/web1.sock' - | cmp - /srv/web1.raw
nbdcopy 'nbd+unix:///web1?socket=/run/forebay/nbd/web1.sock' - | cmp - /srv/web1.raw
forebay report web1

: a block device, refused until user forebay may open it
if forebay disk add data --backing /dev/vdb 2>refused; then exit 1; fi
grep -q 'setfacl -m u:forebay:rw /dev/vdb' refused
chown forebay /dev/vdb
forebay disk add data --backing /dev/vdb
nbdcopy 'nbd+unix:///data?socket=/run/forebay/nbd/data.sock' - | cmp - /dev/vdb
forebay disk remove data

: a daemon that is killed comes back by itself
systemctl kill -s KILL forebay
until forebay disk list --json 2>/dev/null | grep -q '"serving".*"serving"'; do sleep 0.2; done
test "$(systemctl show -p NRestarts --value forebay)" = 1

# Later this proof reboots the host; its journal is to be there then.
journalctl --flush

: mapped disks: udev names them, and leaves their content alone unless that is asked for
chown forebay /srv/files.raw /srv/group.raw /srv/byhand.raw
forebay disk add files --backing /srv/files.raw
forebay disk set files map=on
forebay disk add group --backing /srv/group.raw map=scan
forebay disk add byhand --backing /srv/byhand.raw
systemctl start forebay-restore
forebay map
readlink /dev/forebay/files | grep -q '^[.][.]/ublkb'
systemctl is-active dev-forebay-files.device
udevadm info --query=property /dev/forebay/files | tee named
grep -qx 'ID_SERIAL_SHORT=files' named
test "/dev/disk/by-id/wwn-$(sed -n 's/^ID_WWN=//p' named)" -ef /dev/forebay/files
test /dev/disk/by-id/forebay-files -ef /dev/forebay/files
mkfs.ext4 -q -U 8d3a5c0e-0f5b-4e52-9b6e-000000000001 /dev/forebay/files
udevadm trigger --settle /dev/forebay/files
test ! -e /dev/disk/by-uuid/8d3a5c0e-0f5b-4e52-9b6e-000000000001
udevadm info --query=property /dev/forebay/files | grep -c 'ID_FS\|DM_UDEV' | grep -qx 0
forebay map byhand
forebay unmap byhand
test ! -h /dev/forebay/byhand
forebay map byhand
test -b /dev/forebay/byhand

: file systems by lines of fstab, one on a volume, and one by hand
sed -i 's,^devices {,&\nglobal_filter = [ "a|^/dev/ublkb|"\, "a|^/dev/nvme0n1p3$|"\, "r|.*|" ],' /etc/lvm/lvm.conf
pvcreate -q /dev/forebay/group
vgcreate -q group /dev/forebay/group
lvcreate -q -y -n volume -l 100%FREE group
mkfs.ext4 -q -U 8d3a5c0e-0f5b-4e52-9b6e-000000000002 /dev/group/volume
mkdir /srv/files /srv/group
cat >>/etc/fstab <<'FSTAB'
/dev/forebay/files                         /srv/files  ext4  nofail,x-systemd.after=forebay-mapped.service,x-systemd.device-timeout=10min  0 2
UUID=8d3a5c0e-0f5b-4e52-9b6e-000000000002  /srv/group  ext4  nofail,x-systemd.after=forebay-mapped.service,x-systemd.device-timeout=10min  0 2
FSTAB
systemctl daemon-reload
systemctl start srv-files.mount srv-group.mount
mkfs.ext4 -q /dev/forebay/byhand
mount /dev/forebay/byhand /mnt

: an upgrade under load on a mapped disk is a pause
write_files() {
    count=0
    until [ -e enough ]; do
        count=$((count + 1))
        dd if=/dev/urandom of=/srv/files/$((count % 8)) bs=64k count=2 conv=fsync status=none || return 1
        echo $count >count.new && mv count.new count
    done
}
until_written() {
    least=$(($(cat count 2>/dev/null || echo 0) + 3))
    until [ "$(cat count 2>/dev/null || echo 0)" -ge $least ]; do kill -0 $writer; sleep 0.1; done
}
write_files &
writer=$!
until_written

: upgraded: the disks are still there, and so are their rights and what an administrator wrote
echo '# kept' >>/etc/forebay/forebay.toml
mv /srv/web2.raw /srv/web2.away
dpkg -i forebay_2.deb
systemctl is-active forebay
dpkg-query -W forebay
forebay disk list
forebay disk list --json | grep -q '"name":"web1","mode":"write-through","state":"serving"'
nbdcopy 'nbd+unix:///web1?socket=/run/forebay/nbd/web1.sock' - | cmp - /srv/web1.raw
grep -q '^# kept$' /etc/forebay/forebay.toml

: a disk whose backing is missing waits, is named in the status, and is served when the backing is back
systemctl show -p StatusText --value forebay | grep '4 disks served, 1 waiting (web2)'
mv /srv/web2.away /srv/web2.raw
until [ "$(forebay disk list --json | grep -o '"serving"' | wc -l)" = 5 ]; do sleep 0.2; done
test "$(stat -c %a /run/forebay/nbd/web2.sock)" = 600
until_written

: what a service may not do
systemctl show -p CapabilityBoundingSet -p NoNewPrivileges forebay | grep -x 'NoNewPrivileges=yes'
if runuser -u nobody -- forebay disk list 2>refused; then exit 1; fi
grep -q 'member of the group' refused

: manual pages and completions
for page in man1/forebay.1 man1/forebay-disk-add.1 man8/forebay-serve.8; do gzip -dc /usr/share/man/$page.gz | grep -q 'SH NAME'; done
test -s /usr/share/bash-completion/completions/forebay

: mapped disks that are used are in the way of a removal, and are named
if forebay unmap --all 2>said; then exit 1; fi
cat said
for place in /srv/files /srv/group /mnt; do grep -qF "$place" said; done
if dpkg -r forebay 2>said; then exit 1; fi
cat said
grep -q 'disks are mapped' said
grep -q 'is mounted at /srv/files' said
systemctl is-active forebay

: a stop is a pause too
systemctl stop forebay
journalctl -u forebay -n 12 --no-pager
if dpkg -r forebay 2>said; then exit 1; fi
grep -q 'disks are mapped' said
systemctl start forebay
until_written
touch enough
wait $writer
dmesg | grep -c 'I/O error\|EXT4-fs error' | grep -qx 0

: libraries that are upgraded do not restart it
perl -e 'our %nrconf; do "/etc/needrestart/conf.d/forebay.conf"; die $@ if $@;
    for $unit (@ARGV) { print $unit, "\n" if grep { $unit =~ /$_/ } keys %{$nrconf{override_rc}} }' \
    forebay.service forebay-map.service ssh.service >left
printf 'forebay.service\nforebay-map.service\n' | cmp - left

: an orderly shutdown, with a file system that no line orders and a service that has it in use
head -c 3M /dev/urandom >written
for place in /srv/files /srv/group /mnt; do cp written $place/written; done
systemd-run --quiet --unit holder sh -c 'exec 7</mnt/written && touch /proof/held && sleep infinity'
until [ -e held ]; do sleep 0.1; done
echo PROVEN
