"""The cases that we write and every peer reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa

from core.dml import Column, Literal, Matched, NotMatched
from tests.interop.case import Case, Overwrite, Statement
from tests.interop.case_columns import (
    AVRO_COLUMNS,
    AVRO_ROWS,
    COLUMNS,
    DT_ID_V,
    ID_V,
    INDEXES,
    MANY,
    ORC_COLUMNS,
    ORC_KEYED_COLUMNS,
    ORC_KEYED_ROWS,
    ORC_ROWS,
    TYPED_ROWS,
)
from tests.interop.describe import delete, insert, update
from tests.interop.option_cases import OPTION_CASES
from tests.interop.rewrite_cases import REWRITE_CASES
from tests.interop.statement_cases import STATEMENT_CASES

CASES: dict[str, Case] = {
    "append": Case(
        ID_V, [[insert(1, "a"), insert(1, "a")], [insert(2, None)], MANY], options={"bucket": "-1"}
    ),
    "append_packed": Case(
        ID_V,
        [[insert(1, "a")], [insert(2, "b")], [insert(3, "c")], "compact", [insert(4, "d")]],
        options={"bucket": "-1"},
    ),
    "append_buckets": Case(
        ID_V,
        [MANY, [insert(9, "z")], [insert(10, "y")], "compact"],
        options={"bucket": "3", "bucket-key": "id"},
    ),
    "append_parts": Case(
        (("dt", "STRING"), ("h", "INT"), ("v", "STRING")),
        [
            [insert("2024-05-14", 1, "a"), insert(None, 2, "b"), insert("a/b=c d", None, "c")],
            [insert("2024-05-14", 1, "d"), insert("", 3, "e")],
            "compact",
        ],
        partition_keys=("dt", "h"),
        options={"bucket": "-1"},
    ),
    "append_types": Case(COLUMNS, [TYPED_ROWS], options={"bucket": "-1"}),
    "append_types_packed": Case(COLUMNS, [TYPED_ROWS, TYPED_ROWS, "compact"], options={"bucket": "-1"}),
    "append_orc": Case(
        ORC_COLUMNS, [ORC_ROWS, ORC_ROWS, "compact"], options={"bucket": "-1", "file.format": "orc"}
    ),
    "append_avro": Case(
        AVRO_COLUMNS, [AVRO_ROWS, AVRO_ROWS, "compact"], options={"bucket": "-1", "file.format": "avro"}
    ),
    "pk_orc": Case(
        ORC_KEYED_COLUMNS,
        [ORC_KEYED_ROWS, ORC_KEYED_ROWS[:2]],
        primary_key=("id",),
        options={"bucket": "1", "file.format": "orc", "file.compression": "lz4"},
    ),
    "pk_formats_by_level": Case(
        AVRO_COLUMNS,
        [AVRO_ROWS, "compact", AVRO_ROWS[:1]],
        primary_key=("id",),
        options={
            "bucket": "1",
            "file.format": "orc",
            "file.format.per.level": "0:avro,5:parquet",
            "file.compression.per.level": "0:snappy,5:zstd",
            "file.compression.zstd-level": "3",
            "file.suffix.include.compression": "true",
        },
    ),
    "append_indexed": Case(
        ID_V,
        [MANY, MANY[:3], "compact", MANY[:2]],
        options={"bucket": "-1", "target-file-size": "8 kb", **INDEXES},
    ),
    "pk_indexed": Case(
        ID_V, [MANY, MANY[:3], "compact"], primary_key=("id",), options={"bucket": "2", **INDEXES}
    ),
    "append_lz4": Case(ID_V, [MANY], options={"bucket": "-1", "file.compression": "lz4"}),
    "pk": Case(
        ID_V,
        [
            [insert(1, "a"), insert(2, "b"), insert(1, "c")],
            [delete(2, "b"), update(3, "x")],
            [delete(9, None)],
        ],
        primary_key=("id",),
        options={"bucket": "1"},
    ),
    "pk_buckets": Case(
        DT_ID_V,
        [
            [insert("d1", i, f"a{i}") for i in range(500)],
            [insert("d2", i, f"b{i}") for i in range(500)]
            + [delete("d1", i, None) for i in range(0, 500, 3)],
            "compact",
            [insert("d1", i, f"c{i}") for i in range(0, 500, 9)],
            "minor",
        ],
        primary_key=("dt", "id"),
        partition_keys=("dt",),
        options={"bucket": "4"},
    ),
    "pk_dynamic": Case(
        ID_V,
        [MANY, [insert(1, "a"), insert(-1, "b")], [delete(2, None), insert(3001, "c")]],
        primary_key=("id",),
        options={"bucket": "-1", "dynamic-bucket.target-row-num": "700"},
    ),
    "pk_dynamic_parts": Case(
        DT_ID_V,
        [
            [insert(f"d{i % 3}", i, "a") for i in range(60)],
            [insert("d1", i, "b") for i in range(60)] + [delete("d0", 0, None)],
        ],
        primary_key=("dt", "id"),
        partition_keys=("dt",),
        options={
            "bucket": "-1",
            "dynamic-bucket.target-row-num": "5",
            "dynamic-bucket.max-buckets": "6",
            "dynamic-bucket.assigner-parallelism": "2",
        },
    ),
    "pk_dynamic_truncated": Case(
        ID_V,
        [MANY[:9], "truncate", MANY[5:12]],
        primary_key=("id",),
        options={"bucket": "-1", "dynamic-bucket.target-row-num": "4"},
    ),
    "pk_cross_partition": Case(
        (("p", "STRING"), ("id", "INT NOT NULL"), ("v", "STRING")),
        [
            [insert("a", i, "old") for i in range(40)],
            [insert("b", i, "new") for i in range(0, 40, 3)] + [insert(None, 0, "newest")],
            [insert("a", 3, "back"), delete("c", 5, None), insert("c", 99, "more")],
        ],
        primary_key=("id",),
        partition_keys=("p",),
        options={"bucket": "-1", "dynamic-bucket.target-row-num": "7"},
    ),
    "pk_cross_partition_overwritten": Case(
        (("p", "STRING"), ("id", "INT NOT NULL"), ("v", "STRING")),
        [
            [insert("abc"[i % 3], i, "old") for i in range(30)],
            Overwrite([insert("a", i, "new") for i in range(5)], None),
            Overwrite([insert("b", i, "newer") for i in (2, 3, 8, 99)], {"p": "b"}),
            [insert("c", 3, "moved")],
        ],
        primary_key=("id",),
        partition_keys=("p",),
        options={"bucket": "-1", "dynamic-bucket.target-row-num": "4"},
    ),
    "pk_compacted": Case(
        ID_V,
        [MANY, [delete(i, None) for i in range(0, 3000, 2)], "compact", [insert(0, "back")], "compact"],
        primary_key=("id",),
        options={"bucket": "2"},
    ),
    "pk_rolled": Case(
        ID_V,
        [MANY[:2000], [insert(5, "five")], "compact", [delete(5, None)]],
        primary_key=("id",),
        options={"bucket": "1", "target-file-size": "4 kb", "write-buffer-size": "8 kb"},
    ),
    "pk_rewound": Case(
        ID_V,
        [[insert(1, "a")], [insert(2, "b")], "compact", [delete(1, None)], "rollback 2", [insert(3, "c")]],
        primary_key=("id",),
        options={"bucket": "1"},
    ),
    "pk_merged_manifests": Case(
        ID_V,
        [
            [insert(1, "a")],
            [insert(2, "b")],
            "compact",
            "merge manifests",
            "merge manifests",
            "nothing but notes",
            [insert(1, "c")],
        ],
        primary_key=("id",),
        options={"bucket": "1", "snapshot.ignore-empty-commit": "false"},
    ),
    "append_row_ids": Case(
        ID_V,
        [[insert(1, "a"), insert(2, "b")], [insert(3, None)], "truncate", [insert(4, "d")]],
        options={"bucket": "-1", "row-tracking.enabled": "true"},
    ),
    "pk_types": Case(COLUMNS, [TYPED_ROWS], primary_key=("id",), options={"bucket": "1"}),
    "pk_types_merged": Case(
        COLUMNS, [TYPED_ROWS, TYPED_ROWS[:2], "compact"], primary_key=("id",), options={"bucket": "1"}
    ),
    "pk_keys": Case(
        (
            ("s", "STRING NOT NULL"),
            ("d", "DECIMAL(20, 2) NOT NULL"),
            ("t", "TIMESTAMP(6) NOT NULL"),
            ("v", "INT"),
        ),
        [
            [
                insert("b", "1.00", "2024-05-14T01:02:03.456789", 1),
                insert("a long key of a string", "-1.00", "1969-12-31T23:59:59.000001", 2),
                insert("", "0.00", "2024-05-14T01:02:03.456789", 3),
                insert("中", "99999999999.25", "2024-05-14T01:02:03.000000", 4),
            ],
            [delete("b", "1.00", "2024-05-14T01:02:03.456789", 1)],
            "compact",
        ],
        primary_key=("s", "d", "t"),
        options={"bucket": "3"},
    ),
}


CHANGED = [
    Statement(lambda t: t.plan_delete("id = 2 OR v = 'd'"), [["x", 1, "a"], ["x", 3, None], ["y", 4, "c"]]),
    Statement(
        lambda t: t.plan_update("id > 2", {"v": Literal("new")}),
        [["x", 1, "a"], ["x", 3, "new"], ["y", 4, "new"]],
    ),
    Statement(
        lambda t: t.plan_merge(
            pa.table({"p": ["x", "y", "z"], "id": pa.array([1, 4, 9], pa.int32()), "v": ["m", None, "m"]}),
            ["p", "id"],
            [Matched(None, "`source.v` IS NULL"), Matched({"v": Column("source.v")}), NotMatched()],
        ),
        [["x", 1, "m"], ["x", 3, "new"], ["z", 9, "m"]],
    ),
    Statement(lambda t: t.plan_delete("p = 'z'"), [["x", 1, "m"], ["x", 3, "new"]]),
]
CHANGED_KINDS: Mapping[str, tuple[Sequence[str], Mapping[str, str]]] = {
    "append": ((), {"bucket": "-1"}),
    "append_vectors": ((), {"bucket": "-1", "deletion-vectors.enabled": "true"}),
    "append_buckets": ((), {"bucket": "2", "bucket-key": "id"}),
    "append_buckets_vectors": ((), {"bucket": "2", "bucket-key": "id", "deletion-vectors.enabled": "true"}),
    "pk": (("p", "id"), {"bucket": "2"}),
    "pk_dynamic": (("p", "id"), {"bucket": "-1", "dynamic-bucket.target-row-num": "2"}),
}
FOUR = [
    insert("x", 1, "a"),
    insert("x", 2, "b"),
    insert("x", 3, None),
    insert("y", 4, "c"),
    insert("y", 5, "d"),
]
CASES |= {
    f"changed_{name}": Case(
        (("p", "STRING NOT NULL"), ("id", "INT NOT NULL"), ("v", "STRING")),
        [FOUR[:3], FOUR[3:], *CHANGED, [insert("z", 6, "last")]],
        primary_key=keys,
        partition_keys=("p",),
        options=options,
    )
    for name, (keys, options) in CHANGED_KINDS.items()
}
CASES |= OPTION_CASES
CASES |= REWRITE_CASES
CASES |= STATEMENT_CASES
