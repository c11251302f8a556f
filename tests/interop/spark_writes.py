"""What both connectors are asked to write: a table, steps, and whether rows come to the same buckets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Step = Mapping[str, Any]  # a request of drivers/connector.py

ID_V = {"id": "INT NOT NULL", "v": "STRING"}
PARTS = {"dt": "STRING NOT NULL", "id": "INT NOT NULL", "v": "STRING"}


@dataclass(frozen=True)
class Write:
    """Steps on one new table."""

    name: str
    columns: Mapping[str, str]
    steps: Sequence[Step]
    keys: Sequence[str] = ()
    partition: Sequence[str] = ()
    options: Mapping[str, str] = field(default_factory=dict)
    same_buckets: bool = True  # whether the same rows have to be in the same buckets


def write(name: str, columns: Mapping[str, str], *steps: Step, **how: Any) -> Write:
    """A case; options are spelled with `_` for `-` and `__` for `.`."""
    own = {key: how.pop(key) for key in ("keys", "partition", "same_buckets") if key in how}
    options = {key.replace("__", ".").replace("_", "-"): value for key, value in how.items()}
    return Write(name, columns, steps, options=options, **own)


def append(sql: str, **options: str) -> Step:
    return {"write": sql, "mode": "append", "options": _spelled(options)}


def overwrite(sql: str, **options: str) -> Step:
    return {"write": sql, "mode": "overwrite", "options": _spelled(options)}


def delete(where: str) -> Step:
    return {"delete": where}


def update(where: str, **values: str) -> Step:
    return {"update": values, "where": where}


def merge(source: str, on: Sequence[str], *, insert: bool = True, **matched: str) -> Step:
    return {"merge": source, "on": list(on), "matched": matched, "insert": insert}


def _spelled(options: Mapping[str, str]) -> dict[str, str]:
    return {key.replace("__", ".").replace("_", "-"): value for key, value in options.items()}


def rows(count: int, text: str, start: int = 0) -> str:
    return f"SELECT cast(id AS int) AS id, concat('{text}', id) AS v FROM range({start}, {start + count})"


def in_parts(count: int, text: str, start: int = 0) -> str:
    return (
        f"SELECT concat('d', id % 3) AS dt, cast(id AS int) AS id, concat('{text}', id) AS v "
        f"FROM range({start}, {start + count})"
    )


GROW = {"write__merge_schema": "true"}
TYPED = {
    "id": "INT NOT NULL",
    "bo": "BOOLEAN",
    "ti": "TINYINT",
    "sm": "SMALLINT",
    "bi": "BIGINT",
    "fl": "FLOAT",
    "db": "DOUBLE",
    "de": "DECIMAL(20, 4)",
    "da": "DATE",
    "ts": "TIMESTAMP(3)",
    "tz": "TIMESTAMP(6) WITH LOCAL TIME ZONE",
    "by": "BYTES",
    "ar": "ARRAY<INT>",
    "ma": "MAP<STRING NOT NULL, BIGINT>",
    "ro": "ROW<x INT, y ROW<z STRING>>",
}
VALUES = """
    SELECT cast(id AS int) AS id, id % 2 = 0 AS bo, cast(id AS tinyint) AS ti, cast(-id AS smallint) AS sm,
        id << 40 AS bi, cast(id / 4 AS float) AS fl, id / 3 AS db, cast(id + 0.1234 AS decimal(20, 4)) AS de,
        if(id = 3, null, date_add(DATE'1969-12-30', cast(id AS int))) AS da,
        timestamp_ntz '1969-12-31 23:59:59.987654' AS ts, timestamp '2024-02-29 01:02:03.456789' AS tz,
        cast(concat('b', id) AS binary) AS by, array(cast(id AS int), null) AS ar,
        map('k', id, 'n', cast(null AS bigint)) AS ma,
        if(id = 2, null, named_struct('x', cast(id AS int), 'y', named_struct('z', 'text'))) AS ro
    FROM range(5)
"""
KEYED: dict[str, Any] = {"keys": ["id"], "bucket": "3"}
SUMS = {"id": "INT NOT NULL", "n": "INT", "last": "STRING"}
PARTIAL = {"id": "INT NOT NULL", "a": "STRING", "g": "INT", "b": "STRING"}

WRITES = [
    write("append", ID_V, append(rows(50, "a")), append(rows(5, "b")), bucket="-1"),
    write(
        "append to fixed buckets",
        ID_V,
        append(rows(200, "a")),
        bucket="4",
        bucket_key="id",
    ),
    write("append to partitions", PARTS, append(in_parts(30, "a")), partition=["dt"], bucket="-1"),
    write(
        "bucket by modulo",
        ID_V,
        append(rows(90, "a", -40)),
        bucket="3",
        bucket_key="id",
        bucket_function__type="mod",
    ),
    write("upsert", ID_V, append(rows(100, "a")), append(rows(50, "b", 80)), **KEYED),
    write(
        "upsert in partitions",
        PARTS,
        append(in_parts(60, "a")),
        append(in_parts(9, "b")),
        keys=["dt", "id"],
        partition=["dt"],
        bucket="2",
    ),
    write(
        "upsert by text keys",
        {"k": "STRING NOT NULL", "n": "BIGINT"},
        append("SELECT concat('key ', id % 40) AS k, id AS n FROM range(40)"),
        keys=["k"],
        bucket="5",
    ),
    write(
        "overwrite whole",
        PARTS,
        append(in_parts(30, "a")),
        overwrite(in_parts(2, "b")),
        partition=["dt"],
        bucket="-1",
    ),
    write("overwrite keyed", ID_V, append(rows(30, "a")), overwrite(rows(10, "b")), **KEYED),
    write(
        "overwrite dynamic",
        PARTS,
        append(in_parts(30, "a")),
        overwrite(in_parts(1, "b"), partitionOverwriteMode="dynamic"),
        partition=["dt"],
        bucket="-1",
    ),
    write(
        "dynamic buckets",
        ID_V,
        append(rows(100, "a")),
        append(rows(100, "b", 50)),
        keys=["id"],
        bucket="-1",
        dynamic_bucket__target_row_num="30",
        same_buckets=False,
    ),
    write(
        "keys that move",
        PARTS,
        append(in_parts(30, "a")),
        append("SELECT 'other' AS dt, 7 AS id, 'moved' AS v"),
        keys=["id"],
        partition=["dt"],
        bucket="-1",
        same_buckets=False,
    ),
    write("every type", TYPED, append(VALUES), keys=["id"], bucket="2"),
    write(
        "every type in orc",
        {**TYPED, "ts": "TIMESTAMP(6)"},
        append(VALUES.replace("1969-12-31 23:59:59.98", "2024-12-31 23:59:59.98")),
        bucket="-1",
        file__format="orc",
    ),
    write(
        "partial update",
        PARTIAL,
        append("SELECT 1 AS id, 'a' AS a, 5 AS g, 'b5' AS b UNION ALL SELECT 2, 'x', 1, 'y'"),
        append("SELECT 1 AS id, cast(null AS string) AS a, 3 AS g, 'b3' AS b"),
        append("SELECT 2 AS id, 'z' AS a, cast(null AS int) AS g, 'lost' AS b"),
        keys=["id"],
        bucket="2",
        merge_engine="partial-update",
        fields__g__sequence_group="b",
    ),
    write(
        "aggregation",
        SUMS,
        append("SELECT cast(id % 4 AS int) AS id, 1 AS n, 'first' AS last FROM range(4)"),
        append("SELECT 1 AS id, 10 AS n, cast(null AS string) AS last"),
        keys=["id"],
        bucket="2",
        merge_engine="aggregation",
        fields__n__aggregate_function="sum",
        fields__last__aggregate_function="last_non_null_value",
    ),
    write(
        "first row",
        ID_V,
        append(rows(20, "first")),
        append(rows(30, "later")),
        keys=["id"],
        bucket="2",
        merge_engine="first-row",
    ),
    write(
        "sequence field",
        {**ID_V, "at": "INT"},
        append("SELECT 1 AS id, 'newer' AS v, 5 AS at"),
        append("SELECT 1 AS id, 'older' AS v, 3 AS at"),
        keys=["id"],
        bucket="1",
        sequence__field="at",
    ),
    write(
        "row kinds",
        {**ID_V, "kind": "STRING"},
        append("SELECT cast(id AS int) AS id, 'a' AS v, '+I' AS kind FROM range(6)"),
        append("SELECT 3 AS id, 'a' AS v, '-D' AS kind UNION ALL SELECT 4, 'b', '+U'"),
        keys=["id"],
        bucket="2",
        rowkind__field="kind",
    ),
    write(
        "changelog of the input",
        ID_V,
        append(rows(10, "a")),
        append(rows(3, "b")),
        keys=["id"],
        bucket="2",
        changelog_producer="input",
    ),
    write(
        "changelog by lookup",
        ID_V,
        append(rows(10, "a")),
        append(rows(3, "b")),
        keys=["id"],
        bucket="1",
        changelog_producer="lookup",
    ),
    write(
        "write-only",
        ID_V,
        *(append(rows(10, f"{i} "), write_only="true") for i in range(7)),
        keys=["id"],
        bucket="1",
    ),
    write(
        "deletion vectors",
        ID_V,
        append(rows(100, "a")),
        append(rows(10, "b", 5)),
        keys=["id"],
        bucket="1",
        deletion_vectors__enabled="true",
    ),
    write(
        "merged schema",
        ID_V,
        append(rows(5, "a")),
        append("SELECT 9 AS id, 'b' AS v, 1.5D AS more, array('x') AS list", **GROW),
        **KEYED,
    ),
    write(
        "delete from append",
        ID_V,
        append(rows(50, "a")),
        delete("id BETWEEN 10 AND 17 OR v = 'a4'"),
        bucket="-1",
    ),
    write(
        "delete by vectors",
        ID_V,
        append(rows(50, "a")),
        delete("id IN (3, 30)"),
        bucket="-1",
        deletion_vectors__enabled="true",
    ),
    write("delete keyed", ID_V, append(rows(50, "a")), delete("id >= 10 AND id < 40"), **KEYED),
    write(
        "delete a partition",
        PARTS,
        append(in_parts(30, "a")),
        delete("dt = 'd1'"),
        partition=["dt"],
        bucket="-1",
    ),
    write(
        "update append",
        PARTS,
        append(in_parts(30, "a")),
        update("id < 5", v="new"),
        partition=["dt"],
        bucket="-1",
    ),
    write("update keyed", ID_V, append(rows(50, "a")), update("v > 'a3'", v="new"), **KEYED),
    write(
        "merge into append", ID_V, append(rows(20, "a")), merge(rows(10, "b", 15), ["id"], v="v"), bucket="-1"
    ),
    write(
        "merge into keyed",
        PARTS,
        append(in_parts(20, "a")),
        merge(in_parts(10, "b", 15), ["dt", "id"], v="v"),
        keys=["dt", "id"],
        partition=["dt"],
        bucket="2",
    ),
]
