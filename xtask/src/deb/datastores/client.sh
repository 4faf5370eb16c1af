# A client of docs/nfs.md, which writes and reads whatever becomes of the server.
set -eux -o pipefail
export LC_ALL=C DEBIAN_FRONTEND=noninteractive HOME=/root
cd /proof
# By files in this folder both guests wait for each other, so nothing of it may be remembered here.
mkdir /signals
until mount -t nfs4 -o noac,lookupcache=none store1:/srv/nfs/vol1 /signals; do sleep 3; done
trap '[ $? = 0 ] || touch /signals/client-failed' EXIT
wait_for() {
    local -
    set +x
    until [ -e /signals/$1 ]; do sleep 0.5; done
}

bash -eux -o pipefail a-linux-client-1.sh
for number in $(seq 10); do findmnt -n -o OPTIONS /mnt/vol$number | grep -w hard; done

# Writes files of this name with checksums, and reads them back.
pass() {
    fio --name=$1 --filename=$(printf ":/mnt/vol%d/$1" $(seq 10) | cut -c2-) \
        --size=5m --bs=4k --rw=randwrite --fsync=32 --verify=crc32c --verify_fatal=1 "${@:2}" >$1.fio || { cat $1.fio; false; }
}
: written, and read from the disks
pass first
touch /signals/written
wait_for dropped
echo 3 >/proc/sys/vm/drop_caches
pass first --verify_only
touch /signals/read

: all the time, while an SSD is pulled and the server restarts
passes=0
until [ -e /signals/enough ]; do
    pass load
    passes=$((passes + 1))
    echo $passes >/signals/passes
done
echo 3 >/proc/sys/vm/drop_caches
pass load --verify_only
pass first --verify_only
touch /signals/finished
# The server waits for this: without it, the shutdown here would wait for the server.
umount -a -t nfs4
trap - EXIT
echo PROVEN
