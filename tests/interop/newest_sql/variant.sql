CREATE TABLE append (id INT, v VARIANT, s STRUCT<n: INT, v: VARIANT>);
INSERT INTO append
    SELECT 1, parse_json('{"a": [1, 2.5, "x", null, true], "b": {"c": 12345678901234}}'), named_struct('n', 1, 'v', parse_json('[]'))
    UNION ALL SELECT 2, parse_json('"only a text that is longer than sixty-three bytes, so that its header differs from short ones"'), NULL
    UNION ALL SELECT 3, NULL, named_struct('n', 3, 'v', parse_json('-1.25'));
CREATE TABLE keyed (id INT NOT NULL, v VARIANT)
    TBLPROPERTIES ('primary-key' = 'id', 'bucket' = '1');
INSERT INTO keyed SELECT CAST(id AS INT), parse_json(concat('{"k": ', id, '}')) FROM range(20);
INSERT INTO keyed SELECT CAST(id AS INT), parse_json(concat('[', id, ']')) FROM range(5);
CALL sys.compact(table => 'keyed');
