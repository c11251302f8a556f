from __future__ import annotations

from dataclasses import replace
from io import BytesIO
from typing import Any

import fastavro
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from core.avro import encode_container
from core.errors import FormatError, UnsupportedError
from core.manifest import (
    EntryColumns,
    FileKind,
    FileSource,
    ManifestEntry,
    decode_manifests,
    encode_manifest,
    merge_entries,
)
from core.manifest.avro_schemas import MANIFEST_SCHEMA
from core.manifest.columns import ENTRY_SCHEMA, open_manifests
from core.manifest.container import decode_tables
from core.stats.simple_stats import EMPTY_STATS
from tests.builders import add, delete, entry, row, stats

FULL = entry(
    "data-9.parquet",
    kind=FileKind.DELETE,
    partition=row(7),
    bucket=3,
    total_buckets=4,
    file_size=2**40,
    row_count=11,
    min_key=row(1),
    max_key=row(9),
    key_stats=stats([1], [9], [0]),
    value_stats=stats([1, None], [9, None], [0, None]),
    min_sequence_number=5,
    max_sequence_number=6,
    schema_id=2,
    level=5,
    extra_files=("a.index", "b"),
    creation_time_millis=123,
    delete_row_count=4,
    embedded_index=b"\x00\x01",
    file_source=FileSource.COMPACT,
    value_stats_cols=("x", "y"),
    external_path="s3://b/data-9.parquet",
    first_row_id=100,
    write_cols=("x",),
    write_cols_sequences=(8,),
)
BARE = entry("data-0.parquet", creation_time_millis=None, delete_row_count=None, file_source=None)

# Names and members from small pools, so that identities meet; names are of unlike lengths.
entries = st.builds(
    entry,
    st.sampled_from(["f", "data-of-another-format"]),
    kind=st.sampled_from(FileKind),
    partition=st.sampled_from([row(), row(1)]),
    bucket=st.integers(0, 1),
    level=st.integers(0, 1),
    extra_files=st.sampled_from([(), ("i",), ("",), ("i", "j")]),
    embedded_index=st.sampled_from([None, b"", b"x"]),
    external_path=st.sampled_from([None, "", "p"]),
)
histories = st.lists(entries, max_size=12)


def merged(history: list[ManifestEntry]) -> list[ManifestEntry] | str:
    """What the clear form says; the file's name where it refuses."""
    try:
        return merge_entries(history)
    except FormatError:
        return "added twice"


def live(history: list[ManifestEntry]) -> list[ManifestEntry] | str:
    try:
        return list(EntryColumns.of(history).live().entries())
    except FormatError:
        return "added twice"


# --- the merge rule, spec 02, 4.1 --------------------------------------------------


@given(histories)
def test_cancelling_over_columns_is_the_clear_form(history: list[ManifestEntry]) -> None:
    assert live(history) == merged(history)


@given(st.lists(entries.filter(lambda e: e.file.level == 0), max_size=30))
def test_it_is_the_clear_form_for_long_histories_too(history: list[ManifestEntry]) -> None:
    assert live(history) == merged(history)


def legal(history: list[ManifestEntry]) -> list[ManifestEntry]:
    """Each file is added once, then perhaps deleted once: all that commits ever write."""
    kinds: dict[object, list[FileKind]] = {}
    made = []
    for e in history:
        seen = kinds.setdefault(e.identifier, [FileKind.DELETE, FileKind.ADD])
        if seen:
            made.append(replace(e, kind=seen.pop()))
    return made


@given(histories.map(legal), st.integers(0, 12))
def test_cancelling_in_two_steps_is_cancelling_at_once(history: list[ManifestEntry], cut: int) -> None:
    parts = [EntryColumns.of(part).live() for part in (history[:cut], history[cut:])]
    assert list(EntryColumns.concat(parts).live().entries()) == merge_entries(history)


def test_a_delete_takes_its_file_away_and_another_level_stays() -> None:
    upgraded = [add("f", level=0), delete("f", level=0), add("f", level=5)]
    assert live(upgraded) == [add("f", level=5)]


def test_a_delete_beside_a_longer_name_takes_its_file_away() -> None:
    added, deleted = [add("data-1.avro")], [delete("data-1.avro"), add("data-1.zstd.parquet")]
    both = EntryColumns.concat([EntryColumns.of(added), EntryColumns.of(deleted)])
    assert list(both.live().entries()) == [add("data-1.zstd.parquet")]


def test_a_delete_without_its_add_stays() -> None:
    assert live([delete("f"), add("g")]) == [delete("f"), add("g")]


def test_a_file_that_is_added_twice_is_named() -> None:
    with pytest.raises(FormatError, match="file=f"):
        EntryColumns.of([add("f"), add("g"), add("f")]).live()


def test_without_repetition_nothing_is_copied() -> None:
    columns = EntryColumns.of([add("f"), add("g")])
    assert columns.live() is columns


# --- reading what others write -----------------------------------------------------


@pytest.mark.parametrize("value", [FULL, BARE])
def test_an_entry_survives_columns_and_files(value: ManifestEntry) -> None:
    assert EntryColumns.of([value]).entry(0) == value
    assert decode_manifests([encode_manifest([value])]).entry(0) == value


@given(histories)
def test_decode_is_the_inverse_of_encode(history: list[ManifestEntry]) -> None:
    assert list(decode_manifests([encode_manifest(history)]).entries()) == history


def records(*values: ManifestEntry) -> list[dict[str, Any]]:

    return list(fastavro.reader(BytesIO(encode_manifest(values))))  # type: ignore[arg-type]  # no types


def avro(fields: int, *values: ManifestEntry) -> bytes:
    """A manifest of an older generation: the first `fields` of the file."""
    *outer, file = MANIFEST_SCHEMA["fields"]
    file = {**file, "type": {**file["type"], "fields": file["type"]["fields"][:fields]}}
    older = records(*values)
    for record in older:
        record["_FILE"] = {f["name"]: record["_FILE"][f["name"]] for f in file["type"]["fields"]}
    return encode_container({**MANIFEST_SCHEMA, "fields": [*outer, file]}, older)


@pytest.mark.parametrize("fields", [12, 13, 15, 16, 17, 18, 20, 21])
def test_every_generation_of_writers_is_read(fields: int) -> None:
    found = decode_manifests([avro(fields, FULL)]).file(0)
    assert found.extra_files == FULL.file.extra_files
    assert found.creation_time_millis == (123 if fields > 12 else None)
    assert found.file_source == (FileSource.COMPACT if fields > 15 else None)
    assert found.value_stats_cols == (("x", "y") if fields > 16 else None)
    assert found.external_path == (FULL.file.external_path if fields > 17 else None)
    assert found.write_cols_sequences == ((8,) if fields > 20 else None)


def test_manifests_of_different_generations_are_read_together_in_order() -> None:
    sources = [avro(13, FULL), avro(21, FULL, BARE), avro(16, BARE)]
    together = list(decode_manifests(sources).entries())
    assert together == [e for source in sources for e in decode_manifests([source]).entries()]
    assert [e.file.file_name for e in together] == ["data-9.parquet"] * 2 + ["data-0.parquet"] * 2


def test_names_of_records_unknown_fields_and_a_nullable_top_make_no_difference() -> None:
    *outer, file = MANIFEST_SCHEMA["fields"]
    more = [*file["type"]["fields"], {"name": "_NEW", "type": ["null", "string"], "default": None}]
    file = {**file, "type": {**file["type"], "name": "Meta", "fields": more}}
    top = {"type": "record", "name": "Entry", "fields": [*outer, file, {"name": "_X", "type": "int"}]}
    foreign = records(FULL, BARE)
    for record in foreign:
        record["_X"] = 1
        record["_FILE"]["_NEW"] = "n"
    assert list(decode_manifests([encode_container(["null", top], foreign)]).entries()) == [FULL, BARE]


def test_statistics_that_a_writer_left_null_are_empty() -> None:
    *outer, file = MANIFEST_SCHEMA["fields"]
    nullable = [
        {**f, "type": ["null", f["type"]]} if f["name"].endswith("_STATS") else f
        for f in file["type"]["fields"]
    ]
    file = {**file, "type": {**file["type"], "fields": nullable}}
    (record,) = records(FULL)
    record["_FILE"]["_KEY_STATS"] = None
    data = encode_container({**MANIFEST_SCHEMA, "fields": [*outer, file]}, [record])
    found = decode_manifests([data]).file(0)
    assert (found.key_stats, found.value_stats) == (EMPTY_STATS, FULL.file.value_stats)


@pytest.mark.parametrize("member", ["_VERSION", "_KIND"])
def test_a_version_or_kind_that_we_do_not_know_is_refused(member: str) -> None:
    (record,) = records(FULL)
    with pytest.raises((UnsupportedError, FormatError), match=member):
        decode_manifests([encode_container(MANIFEST_SCHEMA, [{**record, member: 3}])])


@pytest.mark.parametrize(
    "data", [b"", b"PAR1", b"ORC", b"Obj\x01", b"\x00" * 200, encode_manifest([FULL])[:300]]
)
def test_what_is_no_manifest_is_a_format_error(data: bytes) -> None:
    with pytest.raises(FormatError):
        decode_manifests([data])


def test_text_of_a_parquet_manifest_has_to_be_utf8() -> None:
    target = BytesIO()
    table = decode_tables([encode_manifest([entry("data-abc.parquet")])])[0]
    parquet.write_table(table, target, compression="none", use_dictionary=False, write_statistics=False)
    damaged = target.getvalue().replace(b"data-abc", b"data-\xff\xff\xff")
    assert damaged != target.getvalue()
    with pytest.raises(FormatError, match="Parquet"):
        decode_manifests([damaged])


def test_another_avro_file_is_no_manifest() -> None:
    schema = {"type": "record", "name": "r", "fields": [{"name": "a", "type": "int"}]}
    with pytest.raises(FormatError, match="_VERSION"):
        decode_manifests([encode_container(schema, [{"a": 1}])])


def test_no_manifests_and_empty_manifests_have_no_entries() -> None:
    assert len(decode_manifests([])) == len(decode_manifests([encode_manifest([])])) == 0
    assert decode_manifests([encode_manifest([])]).table.schema == ENTRY_SCHEMA
    assert len(EntryColumns.empty().live()) == 0


# --- columns as a collection -------------------------------------------------------


@given(st.lists(entries, max_size=12), st.data())
def test_reading_late_is_reading_at_once(history: list[ManifestEntry], data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(history)))
    sources = [encode_manifest(part) for part in (history[:cut], history[cut:])]
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=len(history), max_size=len(history))), bool)
    wanted = decode_manifests(sources).filter(mask)
    opened = open_manifests(sources).filter(mask)
    late = data.draw(st.lists(st.sampled_from(ENTRY_SCHEMA.names), unique=True))
    assert opened.with_columns(late).complete().table.equals(wanted.table)
    assert all(opened.column(name).equals(wanted.column(name)) for name in late)
    assert opened.complete().table.equals(wanted.table)
    assert opened.adds().complete().table.equals(wanted.adds().table)


@given(histories.map(legal), st.integers(0, 12))
def test_entries_cancel_before_they_are_read(history: list[ManifestEntry], cut: int) -> None:
    opened = open_manifests([encode_manifest(part) for part in (history[:cut], history[cut:])])
    assert list(opened.live().complete().entries()) == merge_entries(history)


def test_manifests_of_other_formats_are_opened_too() -> None:
    target = BytesIO()
    parquet.write_table(decode_tables([encode_manifest([BARE, FULL])])[0], target)
    opened = open_manifests([encode_manifest([BARE]), target.getvalue()])
    assert list(opened.filter(pa.array([None, True, True])).complete().entries()) == [BARE, FULL]
    assert list(opened.filter(pa.array([True, None, True])).complete().entries()) == [BARE, FULL]


def test_entries_are_filtered_by_masks_of_either_kind() -> None:
    columns = EntryColumns.of([add("f"), delete("g"), add("h")])
    kept = [e.file.file_name for e in columns.filter(np.array([True, False, True])).entries()]
    assert kept == [e.file.file_name for e in columns.filter(pa.array([True, None, True])).entries()]
    assert kept == [e.file.file_name for e in columns.adds().entries()] == ["f", "h"]
    assert [e.file.file_name for e in columns.deletes().entries()] == ["g"]


def test_concatenation_keeps_the_order() -> None:
    parts = [EntryColumns.of([add("f")]), EntryColumns.empty(), EntryColumns.of([add("g"), add("h")])]
    assert [e.file.file_name for e in EntryColumns.concat(parts).entries()] == ["f", "g", "h"]
    assert len(EntryColumns.concat([])) == 0


def test_numbers_are_had_as_numpy() -> None:
    assert EntryColumns.of([add(level=1), add(level=5)]).numpy("level").tolist() == [1, 5]
