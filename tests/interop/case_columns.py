"""Columns of the cases, and values of every type."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.interop.describe import insert

ID_V = (("id", "INT NOT NULL"), ("v", "STRING"))
DT_ID_V = (("dt", "STRING NOT NULL"), ("id", "INT NOT NULL"), ("v", "STRING"))
MANY = [insert(i, f"value {i % 7}") for i in range(3000)]

ATOMIC = [
    ("bo", "BOOLEAN", [True, False]),
    ("ti", "TINYINT", [-128, 127]),
    ("sm", "SMALLINT", [-32768, 32767]),
    ("bi", "BIGINT", [-(2**63), 2**63 - 1]),
    ("fl", "FLOAT", [-1.5, 3.25]),
    ("db", "DOUBLE", [1e300, -0.1]),
    ("d9", "DECIMAL(9, 2)", ["-1234567.89", "0.01"]),
    ("d18", "DECIMAL(18, 4)", ["12345678901234.5678", "-0.0001"]),
    ("d38", "DECIMAL(38, 10)", ["-1234567890123456789012345678.0123456789", "1.0000000000"]),
    ("ch", "CHAR(5)", ["abcde", "x"]),
    ("vc", "VARCHAR(40)", ["中文字符测试 a long enough text to cut", ""]),
    ("st", "STRING", ["z" * 300, "line\nbreak"]),
    ("by", "BYTES", ["AAECAwQ=", ""]),
    ("vb", "VARBINARY(8)", ["/////w==", "AA=="]),
    ("da", "DATE", ["1969-12-31", "2024-05-14"]),
    ("tm", "TIME", ["00:00:00.000", "23:59:59.000"]),
    ("t0", "TIMESTAMP(0)", ["2024-05-14T01:02:03", "1969-12-31T23:59:59"]),
    ("t3", "TIMESTAMP(3)", ["2024-05-14T01:02:03.456", "1969-12-31T23:59:59.001"]),
    ("t6", "TIMESTAMP(6)", ["2024-05-14T01:02:03.456789", "1969-12-31T23:59:59.000001"]),
    ("t9", "TIMESTAMP(9)", ["2024-05-14T01:02:03.456789123", "1970-01-01T00:00:00.000000001"]),
    ("z3", "TIMESTAMP(3) WITH LOCAL TIME ZONE", ["2024-05-14T01:02:03.456Z", "1969-12-31T23:59:59.001Z"]),
    (
        "z6",
        "TIMESTAMP(6) WITH LOCAL TIME ZONE",
        ["2024-05-14T01:02:03.456789Z", "1969-12-31T23:59:59.000001Z"],
    ),
]
NESTED = [
    ("ar", "ARRAY<INT>", [[1, None, 3], []]),
    ("as", "ARRAY<STRING>", [["a", "longer than seven"], [None]]),
    ("ma", "MAP<STRING, BIGINT>", [[["k", 1], ["kk", None]], []]),
    # Java 0.9.0 reads a ROW whose members are all null as null.
    ("ro", "ROW<x INT, y STRING>", [{"x": 1, "y": "a"}, {"x": None, "y": "b"}]),
]


def of_types(types: Sequence[tuple[str, str, list[Any]]]) -> tuple[list[tuple[str, str]], list[list[Any]]]:
    """Columns of an id and all types; a row of each value, and one of nulls."""
    columns = [("id", "INT NOT NULL"), *((name, text) for name, text, _ in types)]
    rows = [insert(i, *(values[i] for _, _, values in types)) for i in (0, 1)]
    return columns, [*rows, insert(2, *(None for _ in types))]


COLUMNS, TYPED_ROWS = of_types([*ATOMIC, *NESTED])
# Avro has no timestamps with more than six digits, and pypaimon 2.1.0 cuts them off when it merges.
AVRO_COLUMNS, AVRO_ROWS = of_types([kind for kind in (*ATOMIC, *NESTED) if kind[0] != "t9"])
# Arrow stores parts of milliseconds before 1970 in ORC so that Java fails on them.
LATE = {"t6": "2024-05-14T01:02:03.456789", "z6": "2024-05-14T01:02:03.456789Z"}
ORC_TYPES = [(n, text, [LATE[n]] * 2 if n in LATE else values) for n, text, values in (*ATOMIC, *NESTED)]
ORC_COLUMNS, ORC_ROWS = of_types(ORC_TYPES)
ORC_KEYED_COLUMNS, ORC_KEYED_ROWS = of_types([kind for kind in ORC_TYPES if kind[0] != "t9"])

INDEXES = {
    "file-index.bloom-filter.columns": "id",
    "file-index.bloom-filter.id.items": "100",
    "file-index.bitmap.columns": "v",
    "file-index.bitmap.v.version": "1",  # all that Java 0.9.0 knows
    "file-index.bsi.columns": "id",
}
