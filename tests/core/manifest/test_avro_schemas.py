"""The schemas we write begin, letter for letter, as those of Java 0.9.0 do; newer members follow."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from fastavro.schema import to_parsing_canonical_form

from core.avro import read_schema
from core.manifest import encode_index_manifest, encode_manifest, encode_manifest_list
from core.manifest.avro_schemas import INDEX_MANIFEST_SCHEMA, MANIFEST_LIST_SCHEMA, MANIFEST_SCHEMA
from tests.builders import add, manifest

JAVA = Path(__file__).parents[2] / "corpora" / "java09" / "dv.db" / "append_dv" / "manifest"


def of_java(kind: str) -> Any:
    """The schema in a file of Java 0.9.0."""
    kinds = ("manifest-list-", "index-manifest-", "manifest-")
    path = next(p for p in sorted(JAVA.iterdir()) if next(k for k in kinds if p.name.startswith(k)) == kind)
    return read_schema(path.read_bytes())


def file_members(schema: Any) -> list[Any]:
    return list(schema["fields"][-1]["type"]["fields"])


@pytest.mark.parametrize(
    ("ours", "kind", "known"),
    [
        (MANIFEST_LIST_SCHEMA, "manifest-list-", 7),
        (MANIFEST_SCHEMA, "manifest-", 5),
        (INDEX_MANIFEST_SCHEMA, "index-manifest-", 8),
    ],
)
def test_a_record_begins_as_javas(ours: dict[str, Any], kind: str, known: int) -> None:
    java = of_java(kind)
    assert json.dumps(ours["fields"][:known]) == json.dumps(java["fields"][:known])
    assert (ours["name"], ours["namespace"]) == (java["name"], java["namespace"])


def test_a_data_file_begins_as_javas() -> None:
    java = file_members(of_java("manifest-"))
    assert len(java) == 16
    assert json.dumps(file_members(MANIFEST_SCHEMA)[:16]) == json.dumps(java)


def test_all_members_of_the_newest_generation_are_written() -> None:
    assert len(MANIFEST_LIST_SCHEMA["fields"]) == 13
    assert len(file_members(MANIFEST_SCHEMA)) == 21
    assert len(INDEX_MANIFEST_SCHEMA["fields"]) == 11


def test_files_carry_these_schemas() -> None:
    assert_same(read_schema(encode_manifest([add()])), MANIFEST_SCHEMA)
    assert_same(read_schema(encode_manifest_list([manifest()])), MANIFEST_LIST_SCHEMA)
    assert_same(read_schema(encode_index_manifest([])), INDEX_MANIFEST_SCHEMA)


def assert_same(one: Any, other: Any) -> None:
    """A name may be written with its namespace or beside it."""
    assert to_parsing_canonical_form(one) == to_parsing_canonical_form(other)
