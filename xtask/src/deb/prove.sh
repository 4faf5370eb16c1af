#!/bin/sh
# The life of the package on a host with systemd, run as root by the guest's only service. Ends at the first thing that is
# not as it should be; what it tried is the last line that it prints.
set -eux
export DEBIAN_FRONTEND=noninteractive LC_ALL=C
cd /proof
truncate -s 32M /srv/web1.raw /srv/web2.raw
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
systemctl show -p StatusText --value forebay | grep '1 disks served, 1 waiting (web2)'
mv /srv/web2.away /srv/web2.raw
until forebay disk list --json | grep -q '"serving".*"serving"'; do sleep 0.2; done
test "$(stat -c %a /run/forebay/nbd/web2.sock)" = 600

: what a service may not do
systemctl show -p CapabilityBoundingSet -p NoNewPrivileges forebay | grep -x 'NoNewPrivileges=yes'
if runuser -u nobody -- forebay disk list 2>refused; then exit 1; fi
grep -q 'member of the group' refused

: manual pages and completions
for page in forebay forebay-disk-add; do gzip -dc /usr/share/man/man1/$page.1.gz | grep -q 'SH NAME'; done
test -s /usr/share/bash-completion/completions/forebay

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
head -c 1M /dev/urandom >written
forebay disk set web1 mode=write-back destage-rate-max=64KiB
nbdcopy written 'nbd+unix:///web1?socket=/run/forebay/nbd/web1.sock'
dpkg -P forebay 2>said
cat said
grep -q 'do not use those without it' said
grep -q 'Kept /var/lib/forebay' said
if cmp -n 1M written /srv/web1.raw; then exit 1; fi
dpkg -i forebay_2.deb
nbdcopy 'nbd+unix:///web1?socket=/run/forebay/nbd/web1.sock' - | cmp -n 1M - written
forebay disk set web1 destage-rate-max=0
forebay disk set web1 mode=write-through
cmp -n 1M written /srv/web1.raw

: purged: nothing of it is left, the backings are as they were
dpkg -P forebay
test ! -e /var/lib/forebay
test ! -e /run/forebay
test ! -e /etc/forebay
cmp -n 1M written /srv/web1.raw
systemctl --failed --no-legend --plain | grep -c forebay | grep -qx 0
echo PROVEN
