# The server of docs/nfs.md after a restart: everything is there by itself, and its client goes on.
set -eux -o pipefail
export LC_ALL=C HOME=/root
cd /proof
rm -f orderly
wait_for() {
    local -
    set +x
    until [ -e /srv/nfs/vol1/$1 ]; do
        test ! -e /srv/nfs/vol1/client-failed
        sleep 0.5
    done
}
until systemctl -q is-active nfs-server; do sleep 0.5; done
for number in $(seq 10); do mountpoint /srv/nfs/vol$number; done
systemctl show -p After nfs-server | grep -w srv-nfs-vol10.mount
touch /srv/nfs/vol1/enough
wait_for finished
until [ -z "$(ss -Htn state established sport = :2049)" ]; do sleep 0.5; done
forebay status
forebay disk list

: what ended in order before
journalctl -b -1 -u forebay-mapped --no-pager | tee said
if grep 'By force\|Failed' said; then exit 1; fi

: and clean
systemctl stop nfs-server
for number in $(seq 10); do
    umount /srv/nfs/vol$number
    e2fsck -fn /dev/forebay/vol$number
done
if journalctl -k --no-pager | grep -E 'EXT4-fs (error|warning)|BUG:|Oops'; then exit 1; fi
echo PROVEN
