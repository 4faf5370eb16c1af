# What writer and check share: the content that belongs to a number, in files and in rows.
said=/tmp/said

fail() {
    echo "wrong: $1"
    cat $said /tmp/postgres.log 2>/dev/null
    dmesg | tail -n 20
    exit 1
}

must() {
    "$@" >$said 2>&1 || fail "$*"
}

# A file of 5 to 30 KiB, whose first line is a thousand times its number.
content() {
    seq $(($1 * 1000)) $(($1 * 1000 + 999 + $1 % 7 * 500))
}

# Keys are in no order, so that a row changes pages all over the index.
key_of() {
    echo "printf('%08x', ($1 * 2654435761) & 4294967295)"
}

content_of() {
    echo "replace(printf('%.*c', 20 + $1 * 37 % 300, '.'), '.', printf('%08d', $1))"
}

# Rows of PostgreSQL are made of sums.
postgres_key_of() {
    echo "md5(($1)::text)"
}

postgres_content_of() {
    echo "repeat(md5(($1)::text), 1 + (($1) % 20)::int)"
}

as_postgres() {
    su postgres -c "psql -h /tmp -qAtX -v ON_ERROR_STOP=1 postgres"
}

# Starts the server of the database on /mnt and waits until it answers. Fails if it ends before.
start_postgres() {
    echo "postgres:x:$(stat -c %u:%g /mnt/pg)::/tmp:/bin/sh" >/etc/passwd
    chmod 1777 /tmp
    su postgres -c "exec postgres -D /mnt/pg" >/tmp/postgres.log 2>&1 &
    server=$!
    until echo "select 1" | as_postgres >$said 2>&1; do
        kill -0 $server 2>/dev/null || return 1
        usleep 200000
    done
}
