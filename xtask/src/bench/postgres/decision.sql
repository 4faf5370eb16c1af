-- Database of decision support: two parts of sales to one of items, eight rows a page.
-- Six of fifteen units of each are the recent part, and a sale names items of its own part.
CREATE TABLE sales (id int PRIMARY KEY, item int NOT NULL, other int NOT NULL, amount int NOT NULL, remark text NOT NULL);
CREATE TABLE items (id int PRIMARY KEY, price int NOT NULL, remark text NOT NULL);
ALTER TABLE sales ALTER remark SET STORAGE PLAIN;
ALTER TABLE items ALTER remark SET STORAGE PLAIN;
INSERT INTO items SELECT id, id % 100, repeat('r', 960) FROM generate_series(1, :items) id;
INSERT INTO sales SELECT id, (id + 1) / 2, CASE WHEN id <= :sales / 15 * 6 THEN 1 + id::bigint * 7919 % (:items / 15 * 6) ELSE 1 + :items / 15 * 6 + id::bigint * 7919 % (:items / 15 * 9) END, id % 100, repeat('r', 950) FROM generate_series(1, :sales) id;
VACUUM (FREEZE, ANALYZE);
CHECKPOINT;
