-- Deletion vectors of 32 and of 64 bits, on keys and on append.
CREATE TABLE keyed (id INT NOT NULL, v STRING)
    TBLPROPERTIES ('primary-key' = 'id', 'bucket' = '2', 'deletion-vectors.enabled' = 'true',
                   'deletion-vectors.bitmap64' = '${bitmap64}', 'file.format' = 'parquet');
INSERT INTO keyed SELECT CAST(id AS INT), concat('first ', id) FROM range(3000);
CALL sys.compact(table => 'keyed');
INSERT INTO keyed SELECT CAST(id AS INT), concat('later ', id) FROM range(0, 3000, 7);
DELETE FROM keyed WHERE id % 11 = 3;
UPDATE keyed SET v = 'updated' WHERE id BETWEEN 100 AND 120;
CREATE TABLE append (id INT, dt STRING, v STRING)
    PARTITIONED BY (dt)
    TBLPROPERTIES ('deletion-vectors.enabled' = 'true', 'deletion-vectors.bitmap64' = '${bitmap64}');
INSERT INTO append SELECT CAST(id AS INT), concat('d', id % 2), concat('v', id) FROM range(2000);
INSERT INTO append SELECT CAST(id AS INT), concat('d', id % 2), concat('w', id) FROM range(2000, 2500);
DELETE FROM append WHERE id % 5 = 0;
DELETE FROM append WHERE id BETWEEN 1990 AND 2010;
UPDATE append SET v = 'updated' WHERE id IN (1, 2, 2001, 2499);
CALL sys.create_tag(table => 'append', tag => 'before');
CALL sys.compact(table => 'append');
DELETE FROM append WHERE id = 3;
