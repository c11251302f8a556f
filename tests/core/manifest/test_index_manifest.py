from __future__ import annotations

import pytest

from core.avro import encode_container
from core.errors import FormatError, UnsupportedError
from core.manifest import (
    DeletionVectorRange,
    GlobalIndexMeta,
    IndexManifestEntry,
    decode_index_manifest,
    encode_index_manifest,
)
from core.manifest.avro_schemas import INDEX_MANIFEST_SCHEMA
from core.manifest.index_manifest import _record_of
from tests.builders import row

HASH = IndexManifestEntry(
    partition=row(1), bucket=2, index_type="HASH", file_name="index-1", file_size=40, row_count=10
)
VECTORS = IndexManifestEntry(
    partition=row(),
    bucket=0,
    index_type="DELETION_VECTORS",
    file_name="index-2",
    file_size=64,
    row_count=2,
    deletion_vector_ranges=(DeletionVectorRange("a.parquet", 1, 24), DeletionVectorRange("b.orc", 25, 30, 7)),
)
GLOBAL = IndexManifestEntry(
    partition=row(),
    bucket=0,
    index_type="btree",
    file_name="index-3",
    file_size=64,
    row_count=2,
    external_path="s3://b/index-3",
    global_index=GlobalIndexMeta(
        row_range_start=0, row_range_end=9, index_field_id=3, extra_field_ids=(4, 5), index_meta=b"m"
    ),
)


@pytest.mark.parametrize("entries", [[], [HASH], [VECTORS], [GLOBAL], [HASH, VECTORS, GLOBAL]])
def test_decode_is_the_inverse_of_encode(entries: list[IndexManifestEntry]) -> None:
    assert decode_index_manifest(encode_index_manifest(entries)) == entries


def test_the_fields_of_0_9_are_enough() -> None:
    schema = {**INDEX_MANIFEST_SCHEMA, "fields": INDEX_MANIFEST_SCHEMA["fields"][:9]}
    older = {f["name"]: _record_of(HASH)[f["name"]] for f in schema["fields"]}
    assert decode_index_manifest(encode_container(schema, [older])) == [HASH]


def test_another_version_is_refused() -> None:
    with pytest.raises(UnsupportedError, match="_VERSION 2"):
        decode_index_manifest(encode_container(INDEX_MANIFEST_SCHEMA, [{**_record_of(HASH), "_VERSION": 2}]))


@pytest.mark.parametrize("wrong", [{"_KIND": 7}, {"_KIND": -28}])
def test_an_entry_that_is_neither_add_nor_delete_is_a_format_error(wrong: dict[str, int]) -> None:
    with pytest.raises(FormatError, match="FileKind"):
        decode_index_manifest(encode_container(INDEX_MANIFEST_SCHEMA, [_record_of(HASH) | wrong]))
