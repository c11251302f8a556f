CREATE TABLE bitmap (id INT, n BIGINT, v STRING, d DATE)
    TBLPROPERTIES ('file-index.bitmap.columns' = 'n,v,d', 'file-index.bitmap.n.version' = '2',
                   'file-index.bitmap.v.version' = '${bitmap}', 'file-index.bitmap.v.index-block-size' = '128b',
                   'file-index.in-manifest-threshold' = '${threshold}');
INSERT INTO bitmap SELECT CAST(id AS INT), id % 20, if(id % 13 = 0, NULL, concat('text ', id % 90)), date_add(DATE'2024-01-01', CAST(id % 30 AS INT))
    FROM range(1000);
INSERT INTO bitmap SELECT CAST(id AS INT), 20 + id % 5, concat('other ', id % 90), NULL FROM range(1000, 1500);
CREATE TABLE ranges (id INT, n BIGINT, v STRING, f DOUBLE, t TIMESTAMP_NTZ)
    TBLPROPERTIES ('file-index.range-bitmap.columns' = 'n,v,f,t', 'file-index.range-bitmap.n.chunk-size' = '64b',
                   'file-index.in-manifest-threshold' = '${threshold}');
INSERT INTO ranges SELECT CAST(id AS INT), id * 3 % 1000, if(id % 13 = 0, NULL, concat('text ', id % 90)), id / 4 - 100,
    TIMESTAMP_NTZ'2024-01-01 00:00:00' + make_interval(0, 0, 0, 0, 0, CAST(id AS INT)) FROM range(1000);
INSERT INTO ranges SELECT CAST(id AS INT), -id, NULL, NULL, NULL FROM range(1000, 1200);
CREATE TABLE sliced (id INT, n INT)
    TBLPROPERTIES ('file-index.bsi.columns' = 'n', 'file-index.bloom-filter.columns' = 'id',
                   'file-index.in-manifest-threshold' = '${threshold}');
INSERT INTO sliced SELECT CAST(id AS INT), CAST(id * 7 % 400 - 200 AS INT) FROM range(900);
CREATE TABLE members (id INT, m MAP<STRING, STRING>)
    TBLPROPERTIES ('file-index.bloom-filter.columns' = 'm[a],m[b]', 'file-index.in-manifest-threshold' = '${threshold}');
INSERT INTO members SELECT CAST(id AS INT), map('a', concat('x', id), 'c', 'y') FROM range(50);
CREATE TABLE later (id INT, v STRING);
INSERT INTO later SELECT CAST(id AS INT), concat('v', id % 9) FROM range(300);
ALTER TABLE later SET TBLPROPERTIES ('file-index.bitmap.columns' = 'v');
CALL sys.rewrite_file_index(table => 'later');
INSERT INTO later VALUES (300, 'v3');
CREATE TABLE keyed (id INT NOT NULL, v STRING, n INT)
    TBLPROPERTIES ('primary-key' = 'id', 'bucket' = '1', 'deletion-vectors.enabled' = 'true',
                   'file-index.bitmap.columns' = 'v', 'file-index.range-bitmap.columns' = 'n',
                   'file-index.in-manifest-threshold' = '${threshold}');
INSERT INTO keyed SELECT CAST(id AS INT), concat('v', id % 9), CAST(id % 77 AS INT) FROM range(1000);
CALL sys.compact(table => 'keyed');
INSERT INTO keyed SELECT CAST(id AS INT), 'v1', -1 FROM range(0, 1000, 50);
