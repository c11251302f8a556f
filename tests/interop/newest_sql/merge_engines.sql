CREATE TABLE partial (id INT NOT NULL, a INT, b STRING, g1 INT, c STRING, n INT, g2 INT, g3 INT, l STRING)
    TBLPROPERTIES ('primary-key' = 'id', 'bucket' = '1', 'merge-engine' = 'partial-update', 'file.format' = '${format}',
                   'fields.g1.sequence-group' = 'b', 'fields.g2,g3.sequence-group' = 'c,n',
                   'fields.n.aggregate-function' = 'sum', 'fields.l.aggregate-function' = 'last_non_null_value');
INSERT INTO partial VALUES (1, 1, NULL, 5, 'x', 1, 1, 1, 'l'), (2, NULL, 'x', 1, NULL, 2, 2, 2, NULL);
INSERT INTO partial VALUES (1, NULL, 'late', 3, 'y', 10, 1, 0, NULL), (2, 7, NULL, NULL, 'z', 20, 2, 3, 'm');
INSERT INTO partial VALUES (1, NULL, 'newest', 9, NULL, 100, NULL, NULL, 'k'), (3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
CALL sys.compact(table => 'partial');
INSERT INTO partial VALUES (2, 8, 'after', 2, 'w', 200, 2, 3, 'n');
CREATE TABLE sums (id INT NOT NULL, n INT, best DOUBLE, least DECIMAL(10, 2), last STRING, first STRING, every BOOLEAN,
                   some BOOLEAN, product BIGINT, list STRING, members ARRAY<INT>, pairs MAP<STRING, INT>)
    TBLPROPERTIES ('primary-key' = 'id', 'bucket' = '1', 'merge-engine' = 'aggregation', 'file.format' = '${format}',
                   'fields.n.aggregate-function' = 'sum', 'fields.best.aggregate-function' = 'max',
                   'fields.least.aggregate-function' = 'min', 'fields.last.aggregate-function' = 'last_value',
                   'fields.first.aggregate-function' = 'first_non_null_value', 'fields.every.aggregate-function' = 'bool_and',
                   'fields.some.aggregate-function' = 'bool_or', 'fields.product.aggregate-function' = 'product',
                   'fields.list.aggregate-function' = 'listagg', 'fields.list.list-agg-delimiter' = ';',
                   'fields.members.aggregate-function' = 'collect', 'fields.members.distinct' = 'true',
                   'fields.pairs.aggregate-function' = 'merge_map');
INSERT INTO sums VALUES (1, 5, 1.5, 3.25, 'a', NULL, true, false, 2, 'x', array(1, 2), map('a', 1)), (2, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO sums VALUES (1, 7, -3.0, 4, NULL, 'f', false, true, 3, 'y', array(2, 3), map('a', 2, 'b', 3)), (2, 1, 2.0, -1, 'b', 's', true, true, 4, 'z', array(9), map('z', 26));
INSERT INTO sums VALUES (1, NULL, 9.0, NULL, 'c', 'g', NULL, NULL, 5, NULL, NULL, NULL);
CREATE TABLE first (id INT NOT NULL, v STRING)
    TBLPROPERTIES ('primary-key' = 'id', 'bucket' = '1', 'merge-engine' = 'first-row', 'changelog-producer' = 'lookup', 'file.format' = '${format}');
INSERT INTO first SELECT CAST(id AS INT), concat('first ', id) FROM range(20);
INSERT INTO first SELECT CAST(id AS INT), concat('later ', id) FROM range(10, 30);
CREATE TABLE ordered (id INT NOT NULL, x INT, y INT, v STRING)
    TBLPROPERTIES ('primary-key' = 'id', 'bucket' = '1', 'sequence.field' = 'x,y', 'sequence.field.sort-order' = 'descending', 'file.format' = '${format}');
INSERT INTO ordered VALUES (1, 1, 5, 'kept'), (2, 2, 2, 'a'), (3, NULL, 1, 'n');
INSERT INTO ordered VALUES (1, 1, 6, 'older'), (2, 1, 9, 'b'), (3, 1, 1, 'm');
CREATE TABLE kinds (id INT NOT NULL, op STRING, v STRING)
    TBLPROPERTIES ('primary-key' = 'id', 'bucket' = '1', 'rowkind.field' = 'op', 'file.format' = '${format}');
INSERT INTO kinds VALUES (1, '+I', 'a'), (2, '+I', 'b');
INSERT INTO kinds VALUES (1, '-D', 'a'), (3, '+U', 'c');
