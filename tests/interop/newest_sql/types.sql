CREATE TABLE append (
    id INT NOT NULL, bo BOOLEAN, ti TINYINT, sm SMALLINT, bi BIGINT, fl FLOAT, db DOUBLE,
    d9 DECIMAL(9, 2), d18 DECIMAL(18, 4), d38 DECIMAL(38, 10), ch CHAR(5), vc VARCHAR(40), st STRING,
    by BINARY, da DATE, ts TIMESTAMP_NTZ, tz TIMESTAMP,
    ar ARRAY<INT>, ma MAP<STRING, BIGINT>,
    ro STRUCT<x: INT, y: STRUCT<z: STRING, l: ARRAY<DOUBLE>>>,
    deep ARRAY<STRUCT<k: STRING, m: MAP<INT, STRUCT<v: DATE>>>>
) TBLPROPERTIES ('file.format' = '${format}');
INSERT INTO append VALUES
    (1, true, -128, -32768, -9223372036854775808, -1.5, 1e300, -1234567.89, 12345678901234.5678,
     -1234567890123456789012345678.0123456789, 'abcde', '中文 a long enough text', 'line\nbreak', X'0001ff',
     DATE'1969-12-31', TIMESTAMP_NTZ'2024-05-14 01:02:03.456789', TIMESTAMP'1969-12-31 23:59:59.000001Z',
     array(1, NULL, 3), map('k', 1, 'kk', NULL), named_struct('x', 1, 'y', named_struct('z', 'a', 'l', array(1.5, NULL))),
     array(named_struct('k', 'a', 'm', map(1, named_struct('v', DATE'2024-02-29'))), NULL)),
    (2, false, 127, 32767, 9223372036854775807, 3.25, -0.1, 0.01, -0.0001, 1, 'x', '', '', X'',
     DATE'2024-05-14', TIMESTAMP_NTZ'1900-01-01 00:00:00.000001', TIMESTAMP'2024-05-14 01:02:03.456789Z',
     array(), map(), named_struct('x', NULL, 'y', NULL), array()),
    (3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
     NULL, NULL, NULL);
CREATE TABLE keyed TBLPROPERTIES ('primary-key' = 'id', 'bucket' = '1', 'file.format' = '${format}')
    AS SELECT * FROM append;
INSERT INTO keyed SELECT * FROM append WHERE id < 3;
