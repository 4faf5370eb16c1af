#!/bin/sh
# The commands of docs/install.md, each block as the page has it (`page.rs` takes them from there), and what users expect after it.
# Ends at the first thing that is not as it should be. RPM packages are installed by rpm, in place of a system that has dnf.
set -eux
export DEBIAN_FRONTEND=noninteractive LC_ALL=C HOME=/root
cd /proof
. /proof/versions
truncate -s 32M /srv/web1.raw
chmod 644 /srv/web1.raw
echo 'APT::Get::Assume-Yes "true";' >/etc/apt/apt.conf.d/yes
sha256sum forebay[-_]* >SHA256SUMS
. /proof/check-the-files-1.sh

serves() {
    . /proof/first-commands-1.sh
    forebay disk add web1 --backing /srv/web1.raw --read-only
    connected
}
# A client that stays, at a disk that is served.
connected() {
    until forebay disk list --json 2>/dev/null | grep -q '"serving"'; do sleep 0.2; done
    nbdcopy 'nbd+unix:///web1?socket=/run/forebay/nbd/web1.sock' - | sleep infinity &
    until forebay disk list --json | grep -q '"connections":[1-9]'; do sleep 0.2; done
}
disconnected() {
    kill $!
    while forebay disk list --json | grep -q '"connections":[1-9]'; do sleep 0.2; done
}
# The daemon is not the one of $before any more, and runs.
restarted() {
    systemctl is-active forebay
    test "$before" != "$(systemctl show -p MainPID --value forebay)"
}

: the Debian package by apt
. /proof/debian-package-1.sh
serves
disconnected
before=$(systemctl show -p MainPID --value forebay)
. /proof/debian-package-2.sh
restarted
test "$(dpkg-query -W -f '${Version}' forebay)" = "$upgraded"
forebay disk list --json | grep -q '"name":"web1"'
. /proof/debian-package-3.sh
if systemctl is-active forebay; then exit 1; fi
apt purge forebay
test ! -e /var/lib/forebay

: the RPM package: installed, its user and files there
rpm --force-debian --nodeps --test --install forebay-$installed-1.*.rpm
. /proof/rpm-package-1.sh
systemctl is-active forebay
test "$(stat -c %U:%a /var/lib/forebay)" = forebay:700
rpm --force-debian --verify --nodeps forebay
serves
if dpkg -S /usr/bin/forebay; then exit 1; fi

: the helper for Ceph RBD, in a package of its own
if test -e /usr/bin/forebay-rbd; then exit 1; fi
rpm --query --requires --package forebay-rbd-$installed-1.*.rpm | grep -q '^librbd.so.1()(64bit)$'
rpm --force-debian --nodeps --install forebay-rbd-$installed-1.*.rpm
rpm --force-debian --verify --nodeps forebay-rbd
test "$(stat -c %U:%G:%a /usr/bin/forebay-rbd)" = root:root:755
rpm --force-debian --nodeps --erase forebay-rbd
test ! -e /usr/bin/forebay-rbd
test ! -e /usr/share/doc/forebay-rbd

: upgraded under a client: running, what an administrator wrote is kept
echo '# kept' >>/etc/forebay/forebay.toml
before=$(systemctl show -p MainPID --value forebay)
. /proof/rpm-package-2.sh
restarted
test "$(rpm --query --queryformat '%{VERSION}' forebay)" = "$upgraded"
grep -q '^# kept$' /etc/forebay/forebay.toml
kill $! || true
connected

: not removed under a client, removed without
if sh -e /proof/rpm-package-3.sh 2>said; then exit 1; fi
cat said
grep -q 'guests use 1 disks' said
systemctl is-active forebay
disconnected
. /proof/rpm-package-3.sh
if systemctl is-active forebay; then exit 1; fi
if systemctl is-enabled forebay; then exit 1; fi
test ! -e /usr/bin/forebay
test ! -e /usr/lib/systemd/system/forebay.service
test -e /var/lib/forebay/state.json

: the tarball: the disks of before are there
. /proof/tarball-1.sh
cd /proof
until forebay disk list --json 2>/dev/null | grep -q '"serving"'; do sleep 0.2; done
test "$(stat -c %U:%G:%a /usr/bin/forebay /usr/bin/forebay-rbd | uniq)" = root:root:755
echo '# kept' >>/etc/forebay/forebay.toml
echo old >/usr/share/doc/forebay/copyright
before=$(systemctl show -p MainPID --value forebay)
. /proof/tarball-2.sh
cd /proof
restarted
cmp forebay-$upgraded-x86_64/usr/share/doc/forebay/copyright /usr/share/doc/forebay/copyright
grep -q '^# kept$' /etc/forebay/forebay.toml

: not removed while a mapped disk is used, removed without
until forebay disk list --json 2>/dev/null | grep -q '"serving"'; do sleep 0.2; done
forebay map web1
sleep infinity </dev/forebay/web1 &
if sh /proof/tarball-3.sh 2>said; then exit 1; fi
cat said
grep -q 'is open by' said
systemctl is-active forebay
test -e /usr/bin/forebay
kill $!
wait $! || true
. /proof/tarball-3.sh
cd /proof
if systemctl is-active forebay; then exit 1; fi
test ! -e /usr/bin/forebay
test ! -e /usr/bin/forebay-rbd
test ! -e /etc/forebay
test ! -e /dev/forebay/web1
find / -xdev -path /proof -prune -o -path /var/lib/forebay -prune -o -name '*forebay*' -type f -print >left
if grep -v /var/ left; then exit 1; fi
echo PROVEN
