# The server of docs/nfs.md after a restart, until its power goes: once its client goes on.
set -eux -o pipefail
export LC_ALL=C HOME=/root
cd /proof
rm -f orderly
until systemctl -q is-active nfs-server; do sleep 0.5; done
passes() { cat /srv/nfs/vol1/passes; }
before=$(passes)
until [ "$(passes)" != "$before" ]; do
    test ! -e /srv/nfs/vol1/client-failed
    sleep 0.5
done
# Somewhere in what the client writes and reads next.
sleep $((RANDOM % 10))
echo CUT
sleep infinity
