-- Database of an online store: half products and half customers. Seven rows a page leave room for one that is updated.
CREATE TABLE products (id int PRIMARY KEY, price int NOT NULL, stock int NOT NULL, remark text NOT NULL) WITH (fillfactor = 88);
CREATE TABLE customers (id int PRIMARY KEY, orders int NOT NULL, remark text NOT NULL) WITH (fillfactor = 88);
CREATE TABLE orders (customer int NOT NULL, product int NOT NULL, at timestamptz NOT NULL);
ALTER TABLE products ALTER remark SET STORAGE PLAIN;
ALTER TABLE customers ALTER remark SET STORAGE PLAIN;
INSERT INTO products SELECT id, id % 100, 1000000, repeat('r', 950) FROM generate_series(1, :rows) id;
INSERT INTO customers SELECT id, 0, repeat('r', 955) FROM generate_series(1, :rows) id;
VACUUM (FREEZE, ANALYZE);
CHECKPOINT;
