CREATE TABLE t (id INT NOT NULL, dt STRING NOT NULL, v STRING, n INT)
    PARTITIONED BY (dt)
    TBLPROPERTIES ('primary-key' = 'id,dt', 'bucket' = '1', 'changelog-producer' = '${producer}');
INSERT INTO t VALUES (1, 'x', 'a', 1), (2, 'x', 'b', 2), (3, 'y', 'c', 3);
INSERT INTO t VALUES (1, 'x', 'a2', 10), (4, 'y', 'd', 4);
CALL sys.compact(table => 't');
DELETE FROM t WHERE id = 2;
UPDATE t SET n = n + 1 WHERE dt = 'y';
CALL sys.create_tag(table => 't', tag => 'kept');
MERGE INTO t USING (SELECT 1 AS id, 'x' AS dt, 'merged' AS v UNION ALL SELECT 9, 'z', 'new') s ON t.id = s.id AND t.dt = s.dt
    WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT (id, dt, v, n) VALUES (s.id, s.dt, s.v, 0);
CALL sys.compact(table => 't');
INSERT OVERWRITE t PARTITION (dt = 'y') VALUES (7, 'over', 7);
