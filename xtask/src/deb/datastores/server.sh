# The server of docs/nfs.md, from nothing. Its client writes and reads while an SSD is pulled, and waits while this host restarts.
set -eux -o pipefail
export LC_ALL=C DEBIAN_FRONTEND=noninteractive HOME=/root
cd /proof
# Waits for a file of the client, as long as that has not failed.
wait_for() {
    local -
    set +x
    until [ -e /srv/nfs/vol1/$1 ]; do
        test ! -e /srv/nfs/vol1/client-failed
        sleep 0.5
    done
}
# Whether `forebay status` has these words. It fails as long as something needs attention.
said_by_status() {
    forebay status >status || true
    grep "$1" status
}
# Reads of all disks that the cache answered.
hits() { forebay stats --window total --json | grep -oE '"read_hits_(ram|flash)":[0-9]+' | awk -F: '{ sum += $2 } END { print sum }'; }
# Next time the journal of this boot is read.
mkdir -p /var/log/journal
journalctl --flush

# The hardware has the names of the page.
cat >/etc/udev/rules.d/65-proof.rules <<'RULES'
SUBSYSTEM=="block", ENV{ID_SERIAL_SHORT}=="FIRST|SECOND|THIRD", SYMLINK+="disk/by-id/nvme-$env{ID_SERIAL_SHORT}"
SUBSYSTEM=="block", ENV{ID_SERIAL}=="*ARRAY", SYMLINK+="disk/by-id/scsi-ARRAY"
RULES
# Still at boot, on a busy machine, it may take longer to answer than it is asked for.
until udevadm control --ping; do sleep 1; done
udevadm control --reload
udevadm trigger --settle --subsystem-match=block

: from nothing to ten exported disks
bash -eux -o pipefail the-ssds-1.sh
bash -eux -o pipefail the-disks-1.sh
bash -eux -o pipefail the-exports-1.sh
forebay pool show
forebay disk list
test "$(forebay disk list --json | grep -o '"mode":"write-back","state":"serving"' | wc -l)" = 10
for number in $(seq 10); do mountpoint /srv/nfs/vol$number; done
test "$(exportfs -v | grep -c mountpoint)" = 10

: the client has written
wait_for written
forebay disk list
sync
echo 3 >/proc/sys/vm/drop_caches
before=$(hits)
touch /srv/nfs/vol1/dropped
wait_for read
test $(hits) -gt $((before + 50))
bash -eux -o pipefail check-it-1.sh
forebay disk list

: an SSD is pulled and replaced, while the client writes and reads
wait_for passes
ssd=$(basename $(readlink -f /dev/disk/by-id/nvme-SECOND))
echo 1 >/sys/block/$ssd/device/device/remove
until said_by_status 'nvme-SECOND failed'; do sleep 0.5; done
bash -eux -o pipefail when-an-ssd-fails-1.sh
forebay pool show --json | grep '"segments_uncopied":0'
said_by_status 'Another one is in its place'

: shut down in order
touch orderly
echo PROVEN
