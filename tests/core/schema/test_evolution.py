"""Files of one schema read as another: by id, at every depth. Spec: 09, 4."""

from __future__ import annotations

import pyarrow as pa
import pytest

from core.arrow import arrow_schema, from_python, to_python
from core.errors import UnsupportedError
from core.schema.evolution import map_fields, retyped
from core.types import DataField, RowType, parse_type


def field(number: int, name: str, text: str) -> DataField:
    return DataField(number, name, parse_type(text))


def read(old: list[DataField], new: list[DataField], *columns: list[object]) -> dict[str, list[object]]:
    """Values of `columns` (of `old`) read as `new`, out of a slice."""
    mapping = map_fields(new, old)
    padded = [[values[0], *values] for values in columns]
    arrays = [from_python(v, f.type) for v, f in zip(padded, old, strict=True)]
    batch = pa.RecordBatch.from_arrays(arrays, schema=arrow_schema(old)).slice(1)
    result = mapping.apply(batch.select([f.name for f in mapping.file_fields]))
    assert result.schema == arrow_schema(new)
    return {f.name: to_python(result.column(f.name), f.type) for f in new}


def test_columns_are_found_by_id_when_renamed_moved_dropped_added_and_widened() -> None:
    old = [field(0, "a", "INT"), field(1, "b", "STRING"), field(2, "c", "INT")]
    new = [field(2, "d", "BIGINT"), field(3, "b", "INT"), field(0, "a", "INT")]
    assert read(old, new, [1, 2], ["x", "y"], [7, None]) == {"d": [7, None], "b": [None, None], "a": [1, 2]}


def row(*members: DataField) -> RowType:
    return RowType(members)


def test_members_of_a_row_follow_their_ids() -> None:
    old = [DataField(0, "r", row(field(1, "x", "INT"), field(2, "y", "STRING")))]
    new = [DataField(0, "r", row(field(3, "z", "INT"), field(2, "w", "STRING"), field(1, "x", "BIGINT")))]
    assert read(old, new, [(1, "a"), None, (2, None)]) == {"r": [(None, "a", 1), None, (None, None, 2)]}


def test_array_elements_and_map_values_are_cast() -> None:
    old = [field(0, "a", "ARRAY<INT>"), field(1, "m", "MAP<STRING, INT>")]
    new = [field(0, "a", "ARRAY<BIGINT>"), field(1, "m", "MAP<STRING, BIGINT>")]
    columns = [[[1, None], [], None, [2]], [[("k", 1)], None, [], [("l", None)]]]
    assert read(old, new, *columns) == {"a": columns[0], "m": columns[1]}


def test_rows_inside_arrays_inside_maps_are_reached() -> None:
    def nested(member: DataField) -> DataField:
        inner = parse_type("MAP<INT, ARRAY<INT>>")
        array = type(inner.value)(row(member))
        return DataField(0, "m", type(inner)(inner.key, array))

    value = [[(1, [(5,), None]), (2, None)], None]
    assert read([nested(field(9, "x", "INT"))], [nested(field(9, "y", "BIGINT"))], value) == {"m": value}


@pytest.mark.parametrize(
    ("old", "new"),
    [("ARRAY<INT>", "INT"), ("MAP<INT, INT>", "MAP<BIGINT, INT>"), ("ARRAY<BOOLEAN>", "ARRAY<DATE>")],
)
def test_a_change_that_is_not_implemented_is_refused_before_any_row(old: str, new: str) -> None:
    with pytest.raises(UnsupportedError, match="cast from"):
        map_fields([field(0, "c", new)], [field(0, "c", old)])


def test_nothing_changes_for_a_file_of_the_same_schema() -> None:
    fields = [field(0, "a", "INT"), field(1, "b", "ROW<x INT>")]
    assert map_fields(fields, fields).is_identity


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("INT", "INT NOT NULL", False),
        ("INT", "BIGINT", True),
        ("ARRAY<INT>", "ARRAY<BIGINT>", True),
        ("MAP<INT, STRING>", "MAP<INT, STRING>", False),
        ("MAP<INT, STRING>", "MAP<INT, BYTES>", True),
    ],
)
def test_a_type_inside_counts_as_the_type(old: str, new: str, expected: bool) -> None:
    assert retyped(parse_type(old), parse_type(new)) is expected


def test_members_that_come_or_go_are_no_other_type() -> None:
    row = RowType((DataField(1, "a", parse_type("INT")), DataField(2, "b", parse_type("INT"))))
    assert not retyped(row, RowType((row.fields[1], DataField(3, "a", parse_type("STRING")))))
    assert retyped(row, RowType((DataField(1, "a", parse_type("STRING")),)))
