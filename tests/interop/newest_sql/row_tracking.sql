CREATE TABLE tracked (id INT, v STRING) TBLPROPERTIES ('row-tracking.enabled' = 'true');
INSERT INTO tracked SELECT CAST(id AS INT), concat('v', id) FROM range(10);
INSERT INTO tracked VALUES (10, 'ten');
UPDATE tracked SET v = 'updated' WHERE id IN (3, 10);
DELETE FROM tracked WHERE id = 5;
CALL sys.compact(table => 'tracked');
INSERT INTO tracked VALUES (11, 'eleven');
CREATE TABLE evolving (id INT, a STRING, b INT, c DOUBLE)
    TBLPROPERTIES ('row-tracking.enabled' = 'true', 'data-evolution.enabled' = 'true');
INSERT INTO evolving SELECT CAST(id AS INT), concat('a', id), CAST(id AS INT), NULL FROM range(10);
INSERT INTO evolving SELECT CAST(id AS INT), concat('a', id), NULL, NULL FROM range(10, 15);
MERGE INTO evolving t USING (SELECT CAST(id AS INT) AS id, CAST(id * 100 AS INT) AS b FROM range(3, 12)) s ON t.id = s.id
    WHEN MATCHED THEN UPDATE SET t.b = s.b;
MERGE INTO evolving t USING (SELECT 4 AS id, 0.5D AS c) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET t.c = s.c;
MERGE INTO evolving t USING (SELECT 5 AS id, 'both' AS a UNION ALL SELECT 99, 'new') s ON t.id = s.id
    WHEN MATCHED THEN UPDATE SET t.a = s.a WHEN NOT MATCHED THEN INSERT (id, a, b, c) VALUES (s.id, s.a, 1, 2.5);
