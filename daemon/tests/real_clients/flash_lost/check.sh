# What is found on disks as they were left. Before this stands `DISKS`, their names. Lines begin with the name of the disk.
check_database() {
    sqlite3 -batch -bail /mnt/$2.db "pragma integrity_check" 2>&1 | sed "s/^/$1 $2-integrity /"
    sqlite3 -batch -bail /mnt/$2.db "select '$1 $2-rows ' || count(*) || ' ' || ifnull(min(number), 0) || ' ' || ifnull(max(number), 0)
        || ' ' || ifnull(sum(key <> $(key_of number) or content <> $(content_of number)), 0) from rows not indexed" 2>&1 | sed "/^$1 /!s/^/$1 fault /"
}

# Indexes against their table, and the table; then sums of all pages, for which the server has to be stopped.
check_postgres() {
    if start_postgres; then
        as_postgres <<END 2>&1 | sed "/^$1 /!s/^/$1 postgres-integrity /"
select bt_index_parent_check('rows_pkey', true), bt_index_parent_check('by_key', true) \\g /dev/null
select blkno, offnum, msg from verify_heapam('rows');
select '$1 postgres-rows ' || count(*) || ' ' || coalesce(min(number), 0) || ' ' || coalesce(max(number), 0) || ' '
    || count(*) filter (where key <> $(postgres_key_of number) or content <> $(postgres_content_of number)) from rows;
END
        kill -INT $server
        wait $server
        su postgres -c "pg_checksums --check -D /mnt/pg" >$said 2>&1 && echo "$1 postgres-integrity ok" ||
            sed "s/^/$1 postgres-integrity /" $said
    else
        sed "s/^/$1 postgres-integrity /" /tmp/postgres.log
    fi
}

check_files() {
    for file in /mnt/files/[0-9]*; do
        read first <$file
        # A file that is damaged may begin with anything.
        case ${first:-no} in *[!0-9]*) first=0 ;; esac
        number=$((first / 1000))
        content $number | cmp -s - $file && whole=whole || whole=torn
        echo "$1 file ${file##*/} $number $whole"
    done
}

# A mount replays the journal and ends what its list of orphans has, as each mount after a power cut does. Nothing else is changed before
# e2fsck, which may not find anything to repair.
check() {
    dmesg -c >/dev/null
    { mount -t ext4 /dev/disk/$1 /mnt && umount /mnt; } 2>&1 | sed "s/^/$1 fault /"
    e2fsck -fn /dev/disk/$1 >$said 2>&1
    echo "$1 fsck $?"
    sed "s/^/# $1 /" $said
    if mount -t ext4 /dev/disk/$1 /mnt; then
        check_database $1 wal
        check_database $1 delete
        check_files $1
        [ ! -d /mnt/pg ] || check_postgres $1
    fi 2>&1 | sed "/^$1 /!s/^/$1 fault /"
    umount /mnt
    dmesg | grep 'EXT4-fs.*error\|EXT4-fs.*warning\|JBD2' | sed "s/^/$1 fault /"
    echo "$1 checked"
}

for disk in $DISKS; do check $disk; done
exit 0
