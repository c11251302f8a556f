from __future__ import annotations

from io import BytesIO

import fastavro
import pytest

from core.avro import encode_container
from core.errors import FormatError, UnsupportedError
from core.manifest import ManifestFileMeta, decode_manifest_list, encode_manifest_list
from core.manifest.avro_schemas import MANIFEST_LIST_SCHEMA
from core.stats.simple_stats import EMPTY_STATS
from tests.builders import manifest, stats

FULL = manifest(
    "manifest-7",
    file_size=2**33,
    num_added_files=3,
    num_deleted_files=2,
    partition_stats=stats([1], [9], [0]),
    schema_id=4,
    min_bucket=0,
    max_bucket=7,
    min_level=0,
    max_level=5,
    min_row_id=0,
    max_row_id=10**12,
)


@pytest.mark.parametrize("metas", [[], [FULL], [manifest("a"), FULL, manifest("b")]])
def test_decode_is_the_inverse_of_encode(metas: list[ManifestFileMeta]) -> None:
    assert decode_manifest_list(encode_manifest_list(metas)) == metas


@pytest.mark.parametrize("fields", [7, 11, 13])
def test_every_generation_of_writers_is_read(fields: int) -> None:
    (record,) = fastavro.reader(BytesIO(encode_manifest_list([FULL])))
    schema = {**MANIFEST_LIST_SCHEMA, "fields": MANIFEST_LIST_SCHEMA["fields"][:fields]}
    older = {f["name"]: record[f["name"]] for f in schema["fields"]}
    (found,) = decode_manifest_list(encode_container(schema, [older]))
    assert (found.file_name, found.schema_id) == ("manifest-7", 4)
    assert found.max_level == (5 if fields > 7 else None)
    assert found.max_row_id == (10**12 if fields > 11 else None)


def test_members_that_only_python_and_rust_write_are_read() -> None:
    (record,) = fastavro.reader(BytesIO(encode_manifest_list([FULL])))
    more = [
        {"name": "_TOTAL_BUCKETS", "type": ["null", "int"], "default": None},
        {"name": "_EXTRA_FILES", "type": ["null", {"type": "array", "items": "string"}], "default": None},
    ]
    schema = {**MANIFEST_LIST_SCHEMA, "fields": MANIFEST_LIST_SCHEMA["fields"] + more}
    data = encode_container(schema, [{**record, "_TOTAL_BUCKETS": 4, "_EXTRA_FILES": ["m.sidecar"]}])
    (found,) = decode_manifest_list(data)
    assert (found.total_buckets, found.extra_files) == (4, ("m.sidecar",))


def test_statistics_that_a_writer_left_null_are_empty() -> None:
    (record,) = fastavro.reader(BytesIO(encode_manifest_list([FULL])))
    fields = [
        {**f, "type": ["null", f["type"]]} if f["name"] == "_PARTITION_STATS" else f
        for f in MANIFEST_LIST_SCHEMA["fields"]
    ]
    data = encode_container(
        {**MANIFEST_LIST_SCHEMA, "fields": fields}, [{**record, "_PARTITION_STATS": None}]
    )
    assert decode_manifest_list(data)[0].partition_stats == EMPTY_STATS


def test_another_version_is_refused() -> None:
    (record,) = fastavro.reader(BytesIO(encode_manifest_list([FULL])))
    with pytest.raises(UnsupportedError, match="_VERSION 1"):
        decode_manifest_list(encode_container(MANIFEST_LIST_SCHEMA, [{**record, "_VERSION": 1}]))


def test_a_manifest_is_no_manifest_list() -> None:
    schema = {"type": "record", "name": "r", "fields": [{"name": "_VERSION", "type": "int"}]}
    with pytest.raises(FormatError, match="_FILE_NAME"):
        decode_manifest_list(encode_container(schema, [{"_VERSION": 2}]))
