CREATE TABLE dynamic (id INT NOT NULL, v STRING)
    TBLPROPERTIES ('primary-key' = 'id', 'bucket' = '-1', 'dynamic-bucket.target-row-num' = '40');
INSERT INTO dynamic SELECT CAST(id AS INT), 'a' FROM range(100);
INSERT INTO dynamic SELECT CAST(id AS INT), 'b' FROM range(50, 150);
CREATE TABLE crossing (id INT NOT NULL, dt STRING, v STRING) PARTITIONED BY (dt)
    TBLPROPERTIES ('primary-key' = 'id', 'bucket' = '-1');
INSERT INTO crossing VALUES (1, 'x', 'a'), (2, 'x', 'b');
INSERT INTO crossing VALUES (1, 'y', 'moved'), (3, 'y', 'c');
CREATE TABLE postponed (id INT NOT NULL, v STRING) TBLPROPERTIES ('primary-key' = 'id', 'bucket' = '-2', 'postpone.batch-write-fixed-bucket' = 'false');
INSERT INTO postponed SELECT CAST(id AS INT), 'a' FROM range(30);
CALL sys.compact(table => 'postponed');
INSERT INTO postponed VALUES (1, 'not yet seen');
CREATE TABLE hashed (id INT, v STRING) TBLPROPERTIES ('bucket' = '3', 'bucket-key' = 'id', 'bucket-function.type' = 'mod');
INSERT INTO hashed SELECT CAST(id AS INT), 'a' FROM range(-20, 20);
CREATE TABLE mixed (id INT NOT NULL, v STRING)
    TBLPROPERTIES ('primary-key' = 'id', 'bucket' = '1', 'file.format' = 'parquet', 'file.format.per.level' = '0:avro,5:orc');
INSERT INTO mixed SELECT CAST(id AS INT), 'a' FROM range(30);
CALL sys.compact(table => 'mixed');
INSERT INTO mixed VALUES (1, 'b');
CREATE TABLE thin (id INT NOT NULL, k STRING NOT NULL, v STRING)
    TBLPROPERTIES ('primary-key' = 'k,id', 'bucket' = '1', 'data-file.thin-mode' = 'true');
INSERT INTO thin SELECT CAST(id AS INT), concat('k', id % 3), 'a' FROM range(30);
INSERT INTO thin VALUES (1, 'k1', 'b');
CREATE TABLE shallow (id INT, a STRING, b DOUBLE, c DATE)
    TBLPROPERTIES ('metadata.stats-mode' = 'none', 'fields.a.stats-mode' = 'truncate(3)', 'fields.b.stats-mode' = 'counts');
INSERT INTO shallow VALUES (1, 'a long text', 1.5, DATE'2024-01-01'), (NULL, NULL, NULL, NULL);
CREATE TABLE packed_stats (id INT, a STRING, b DOUBLE)
    TBLPROPERTIES ('metadata.stats-dense-store' = 'true', 'metadata.stats-keep-first-n-columns' = '1');
INSERT INTO packed_stats VALUES (1, 'a', 1.5), (2, 'b', NULL);
CREATE TABLE parts (v STRING, b BOOLEAN, i INT, d DATE, t TIMESTAMP_NTZ, s STRING) PARTITIONED BY (b, i, d, t, s);
INSERT INTO parts VALUES ('all', true, -1, DATE'1969-12-31', TIMESTAMP_NTZ'2024-05-14 01:02:03.456', 'a/b=c d'),
    ('none', NULL, NULL, NULL, NULL, NULL), ('blank', false, 2, DATE'2024-02-29', TIMESTAMP_NTZ'2024-05-14 00:00:00', '  ');
CREATE TABLE defaults (id INT, v STRING DEFAULT 'as ever', n INT DEFAULT 7);
INSERT INTO defaults (id) VALUES (1);
INSERT INTO defaults VALUES (2, 'own', NULL);
CREATE TABLE empty (id INT, s STRUCT<x: INT>);
CREATE TABLE clustered (a INT, b INT) TBLPROPERTIES ('clustering.columns' = 'a,b', 'clustering.strategy' = 'hilbert', 'clustering.incremental' = 'true', 'bucket' = '-1');
INSERT INTO clustered SELECT CAST(id AS INT), CAST(id * 7 % 50 AS INT) FROM range(100);
CALL sys.compact(table => 'clustered', compact_strategy => 'full');
