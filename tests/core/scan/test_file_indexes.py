"""Indexes in manifest entries rule files out while a read is planned. Spec: 05, 9; 09, 8."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from core.fileindex import encode_file_index
from core.manifest import EntryColumns, ManifestEntry
from core.predicate import bind, parse_predicate
from core.scan.pruning import Pruner
from core.schema import TableSchema
from core.types import DataField, parse_type
from tests.builders import add, schema
from tests.core.fileindex.columns import encode

INT = parse_type("INT")
APPEND = schema({"k": "INT", "v": "INT"})
KEYED = schema({"k": "INT", "v": "INT"}, primary_keys=["k"], options={"bucket": "1"})


def indexed(name: str, column: str, values: Sequence[Any], **changes: Any) -> ManifestEntry:
    container = encode_file_index({column: {"bitmap": encode("bitmap v1", values, INT)}})
    return add(name, embedded_index=container, **changes)


def pruner(table: TableSchema, where: str, *older: TableSchema) -> Pruner:
    class Schemas:
        def get(self, schema_id: int) -> TableSchema:
            return {known.id: known for known in (table, *older)}[schema_id]

    return Pruner(Schemas(), table, bind(parse_predicate(where), table.fields))  # type: ignore[arg-type]


def kept(stages: Pruner, *entries: ManifestEntry) -> str:
    left = stages.whole_buckets(stages.file_indexes(EntryColumns.of(entries)))
    return "".join(left.column("file_name").to_pylist())


def test_a_file_whose_index_has_no_such_value_is_left_out() -> None:
    stages = pruner(APPEND, "v = 2")
    assert kept(stages, indexed("a", "v", [1, 3]), indexed("b", "v", [2]), add("c")) == "bc"
    assert stages.stages[0].reason == "bitmap(v) of 2 files"


def test_what_cannot_be_asked_is_kept_and_named() -> None:
    stages = pruner(APPEND, "v = 2")
    other = add("a", embedded_index=encode_file_index({"v": {"lumina": b"?"}}))
    damaged = add("b", embedded_index=b"garbage")
    beside = add("c", extra_files=("c.index",))
    assert kept(stages, other, damaged, beside) == "abc"
    assert stages.stages[0].reason == (
        "not used, of unknown type: lumina; not used, unreadable: of b; "
        "1 files have one beside them, which is asked when they are read"
    )


def test_an_index_is_asked_in_the_names_and_types_of_its_file() -> None:
    newer = replace(APPEND, id=1, fields=(APPEND.fields[0], DataField(1, "w", parse_type("BIGINT"))))
    old = indexed("a", "v", [1, 3])
    assert kept(pruner(newer, "w = 2", APPEND), old) == ""
    assert kept(pruner(newer, "w = 3", APPEND), old) == "a"


@pytest.mark.parametrize(("where", "expected"), [("k = 2", "b"), ("v = 2", "ab"), ("v = 4", "")])
def test_a_value_of_a_primary_key_table_rules_out_whole_buckets_only(where: str, expected: str) -> None:
    def both(name: str, keys: Sequence[int], values: Sequence[int]) -> ManifestEntry:
        columns = {"k": keys, "v": values}
        return add(
            name,
            embedded_index=encode_file_index(
                {c: {"bitmap": encode("bitmap v1", of, INT)} for c, of in columns.items()}
            ),
        )

    assert kept(pruner(KEYED, where), both("a", [1], [3]), both("b", [2], [2])) == expected


def test_indexes_are_left_alone_where_the_table_says_so() -> None:
    off = replace(APPEND, options={"file-index.read.enabled": "false"})
    assert kept(pruner(off, "v = 2"), indexed("a", "v", [1])) == "a"
