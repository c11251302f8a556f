CREATE TABLE t (
    id INT NOT NULL, s STRUCT<a: INT, b: STRING, inner: STRUCT<x: FLOAT, gone: INT>>,
    list ARRAY<STRUCT<a: INT, b: STRING>>, m MAP<STRING, STRUCT<a: INT, b: STRING>>, plain INT
) TBLPROPERTIES (${key}'bucket' = '1', 'bucket-key' = 'id', 'file.format' = '${format}');
INSERT INTO t VALUES
    (1, named_struct('a', 1, 'b', 'one', 'inner', named_struct('x', 1.5F, 'gone', 7)),
     array(named_struct('a', 1, 'b', 'l')), map('k', named_struct('a', 5, 'b', 'm')), 1),
    (2, NULL, NULL, NULL, 2), (3, named_struct('a', NULL, 'b', NULL, 'inner', NULL), array(NULL), map('k', NULL), 3);
ALTER TABLE t ADD COLUMN s.c DOUBLE;
ALTER TABLE t ADD COLUMN s.inner.y STRING FIRST;
ALTER TABLE t ADD COLUMN list.element.c BIGINT;
ALTER TABLE t ADD COLUMN m.value.c DATE AFTER a;
INSERT INTO t VALUES
    (4, named_struct('a', 4, 'b', 'four', 'inner', named_struct('y', 'new', 'x', 4.5F, 'gone', 8), 'c', 4.25D),
     array(named_struct('a', 4, 'b', 'l', 'c', 44L)), map('k', named_struct('a', 4, 'c', DATE'2024-02-29', 'b', 'm')), 4);
ALTER TABLE t RENAME COLUMN s.b TO text;
ALTER TABLE t RENAME COLUMN list.element.b TO text;
ALTER TABLE t RENAME COLUMN m.value.b TO text;
ALTER TABLE t DROP COLUMN s.inner.gone;
ALTER TABLE t ALTER COLUMN s.a TYPE BIGINT;
ALTER TABLE t ALTER COLUMN s.inner.x TYPE DOUBLE;
ALTER TABLE t ALTER COLUMN list.element.a TYPE BIGINT;
ALTER TABLE t ALTER COLUMN m.value.a TYPE BIGINT;
INSERT INTO t VALUES
    (5, named_struct('a', 5L, 'text', 'five', 'inner', named_struct('y', 'y', 'x', 5.125D), 'c', 5D),
     array(named_struct('a', 5L, 'text', 'l', 'c', 55L), NULL), map('k', named_struct('a', 5L, 'c', NULL, 'text', 'm')), 5);
ALTER TABLE t ADD COLUMN s.b INT AFTER a;
ALTER TABLE t DROP COLUMN list.element.c;
ALTER TABLE t RENAME COLUMN s TO renamed;
ALTER TABLE t ALTER COLUMN plain TYPE STRING;
INSERT INTO t VALUES
    (6, named_struct('a', 6L, 'b', 66, 'text', 'six', 'inner', named_struct('y', 'y', 'x', 6D), 'c', 6D),
     array(named_struct('a', 6L, 'text', 'l')), map('k', named_struct('a', 6L, 'c', DATE'2024-03-01', 'text', 'm')), 'six');
