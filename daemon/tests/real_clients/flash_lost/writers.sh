# What the guest with the disk does: for each `WRITER NUMBER` on ttyS3 a transaction of one row in a database, or a file. The same words are
# the answer, once it is durable. Before this stand the options of the mount.
FILES=16
BURST_KIB=24576

start_database() {
    must sqlite3 -batch -bail /mnt/$1.db \
        "pragma journal_mode=$2; create table rows(number integer primary key, key text, content text); create index by_key on rows(key);"
    mkfifo /tmp/$1
    { sqlite3 -batch -bail /mnt/$1.db </tmp/$1 2>&1 || echo "wrong: database $1"; } &
}

insert() {
    echo "insert into rows values($2, $(key_of $2), $(content_of $2)); select '$1 $2';"
}

insert_into_postgres() {
    echo "insert into rows values($1, $(postgres_key_of $1), $(postgres_content_of $1)); select 'postgres $1';"
    # Pages of tables reach the disk, and the next change of each is in the log as a whole.
    [ $(($1 % 20)) = 0 ] && echo "checkpoint;"
}

# Each one replaces an older one, whose blocks are used again.
write_files() {
    while read number; do
        content $number >/mnt/files/new && sync /mnt/files/new && mv /mnt/files/new /mnt/files/$((number % FILES)) && sync /mnt/files ||
            fail "file $number"
        echo "files $number"
    done
}

burst() {
    dd if=/dev/urandom of=/mnt/burst bs=64k count=$((BURST_KIB / 64)) conv=notrunc,fsync 2>$said || fail burst
    echo "burst ended"
}

must mount -t ext4 $OPTIONS /dev/vda /mnt
mkdir /mnt/files
start_database wal wal
start_database delete delete
mkfifo /tmp/files
write_files </tmp/files &
exec 4>/tmp/wal 5>/tmp/delete 6>/tmp/files
# A log that is used from its beginning again and again.
echo "pragma synchronous=full; pragma wal_autocheckpoint=100;" >&4
# `full` may lose the last commit with the power: it syncs no folder after the rollback journal was removed.
echo "pragma synchronous=extra;" >&5
if [ -d /mnt/pg ]; then
    start_postgres || fail postgres
    mkfifo /tmp/postgres
    { as_postgres </tmp/postgres 2>&1 || echo "wrong: postgres"; } &
    exec 7>/tmp/postgres
fi
must sync
exec 3</dev/ttyS3
stty raw <&3
echo "ready"
while read writer number <&3; do
    case $writer in
    wal) insert wal $number >&4 ;;
    delete) insert delete $number >&5 ;;
    files) echo $number >&6 ;;
    postgres) insert_into_postgres $number >&7 ;;
    burst) burst & ;;
    esac
done
