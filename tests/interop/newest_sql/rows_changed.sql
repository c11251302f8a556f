-- MERGE INTO, UPDATE and DELETE on tables of every kind.
CREATE TABLE source (id INT, v STRING, op STRING);
INSERT INTO source VALUES (1, 'm1', 'u'), (2, 'm2', 'd'), (40, 'm40', 'i'), (41, 'm41', 'x');
CREATE TABLE append (id INT, v STRING);
INSERT INTO append SELECT CAST(id AS INT), concat('v', id) FROM range(20);
UPDATE append SET v = concat(v, '!') WHERE id > 15;
DELETE FROM append WHERE id = 0 OR v LIKE 'v1_';
MERGE INTO append t USING source s ON t.id = s.id
    WHEN MATCHED AND s.op = 'd' THEN DELETE WHEN MATCHED THEN UPDATE SET t.v = s.v
    WHEN NOT MATCHED AND s.op = 'i' THEN INSERT (id, v) VALUES (s.id, s.v)
    WHEN NOT MATCHED BY SOURCE AND t.id = 7 THEN UPDATE SET t.v = 'left alone';
CREATE TABLE keyed (id INT NOT NULL, v STRING, s STRUCT<a: INT, b: STRING>) TBLPROPERTIES ('primary-key' = 'id', 'bucket' = '3');
INSERT INTO keyed SELECT CAST(id AS INT), concat('v', id), named_struct('a', CAST(id AS INT), 'b', 'b') FROM range(20);
UPDATE keyed SET s.b = 'changed', v = NULL WHERE id % 4 = 0;
DELETE FROM keyed WHERE s.a > 17;
MERGE INTO keyed t USING source s ON t.id = s.id
    WHEN MATCHED AND s.op = 'd' THEN DELETE WHEN MATCHED THEN UPDATE SET t.v = s.v
    WHEN NOT MATCHED THEN INSERT (id, v, s) VALUES (s.id, s.v, NULL);
CREATE TABLE ignoring (id INT NOT NULL, v STRING) TBLPROPERTIES ('primary-key' = 'id', 'bucket' = '1', 'ignore-delete' = 'true');
INSERT INTO ignoring VALUES (1, 'a'), (2, 'b');
DELETE FROM ignoring WHERE id = 1;
INSERT OVERWRITE source VALUES (0, 'all that is left', NULL);
DELETE FROM append WHERE id = 40;
