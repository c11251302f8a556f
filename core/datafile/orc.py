"""ORC data files, a stripe at a time: pyarrow decodes no less, so one stripe is in memory.

A stripe that statistics rule out, or that has none of the rows wanted, is not read; pyarrow tells
nothing of this, so the end of the file is read here (`orc_stats`).

Its decoder believes some of what a file says and ends the process where that cannot be, so the
types and lengths that it takes for granted are looked at first (`orc_tail`, `orc_lengths`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import IO, Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import orc
from pyroaring import BitMap

from core.datafile.orc_lengths import check_lengths
from core.datafile.orc_stats import matching_stripes
from core.datafile.orc_tail import read_tail
from core.errors import UnsupportedError
from core.predicate import Predicate
from core.types import ArrayType, CharType, DataField, DataType, MapType, MultisetType, RowType

Column: TypeAlias = Any  # a pa.Array: which one is known when it runs, not to its stubs


def iter_orc(
    source: IO[bytes],
    fields: Sequence[DataField] | Callable[[pa.Schema], Sequence[DataField]],
    *,
    max_rows: int,
    predicates: Sequence[tuple[Predicate, Sequence[DataField]]] = (),
    wanted: BitMap | None = None,
) -> Iterator[tuple[int, pa.RecordBatch]]:
    """Batches of the columns that the file has of `fields`, each beside the position of its first row.

    Args:
        source: an open file.
        fields: as the file has them; or what tells them from the file's own schema.
        max_rows: the most rows of a batch.
        predicates: stripes that cannot satisfy one are skipped; rows are not filtered.
        wanted: positions of rows; stripes without any of them are skipped.
    """
    tail = read_tail(source)
    file = orc.ORCFile(source)
    fields = fields(file.schema) if callable(fields) else fields
    # One column at least: without any, a stripe would not say how many rows it has.
    present = [f.name for f in fields if f.name in file.schema.names] or file.schema.names[:1]
    padded = [f for f in fields if f.name in present and _holds_char(f.type)]
    starts = None if tail is None else [0, *accumulate(stripe.rows for stripe in tail.stripes)]
    keep = None if tail is None else matching_stripes(source, tail, predicates)
    position = 0
    for stripe in range(file.nstripes):
        if tail is not None and starts is not None and keep is not None:
            position, end = starts[stripe], starts[stripe + 1]
            if not keep[stripe] or (wanted is not None and not wanted.range_cardinality(position, end)):
                continue
            check_lengths(source, tail, stripe, present)
        batch = _read_stripe(file, stripe, present)
        for field in padded:
            at = batch.schema.get_field_index(field.name)
            batch = batch.set_column(at, field.name, _without_padding(batch.column(at), field.type))
        for start in range(0, batch.num_rows, max_rows):
            yield position + start, batch.slice(start, max_rows)
        position += batch.num_rows


def _read_stripe(file: orc.ORCFile, stripe: int, columns: list[str]) -> pa.RecordBatch:
    try:
        return file.read_stripe(stripe, columns=columns)
    except pa.ArrowInvalid as error:
        if "nanosecond resolution" not in str(error):
            raise
        # Arrow gives every ORC timestamp in nanoseconds, whatever the column's precision.
        feature = "ORC timestamp before 1677 or after 2262"
        raise UnsupportedError("a timestamp is outside of what Arrow decodes", feature=feature) from error


def _holds_char(kind: DataType) -> bool:
    match kind:
        case CharType():
            return True
        case ArrayType(element=element) | MultisetType(element=element):
            return _holds_char(element)
        case MapType(key=key, value=value):
            return _holds_char(key) or _holds_char(value)
        case RowType(fields=fields):
            return any(_holds_char(field.type) for field in fields)
    return False


def _without_padding(column: Column, kind: DataType) -> Column:
    """A column, its CHARs without the spaces that ORC fills them up with, as Paimon reads them."""
    if not _holds_char(kind):
        return column
    nulls = column.is_null() if column.null_count else None
    match kind:
        case CharType() if pa.types.is_string(column.type):
            return pc.utf8_rtrim(column, characters=" ")
        case ArrayType(element=element) if pa.types.is_list(column.type):
            values = _without_padding(column.values, element)
            return pa.ListArray.from_arrays(column.offsets, values, mask=nulls)
        case MapType(key=key, value=value) if pa.types.is_map(column.type):
            keys, items = _without_padding(column.keys, key), _without_padding(column.items, value)
            return pa.MapArray.from_arrays(column.offsets, keys, items, mask=nulls)
        case MultisetType(element=element) if pa.types.is_map(column.type):
            keys = _without_padding(column.keys, element)
            return pa.MapArray.from_arrays(column.offsets, keys, column.items, mask=nulls)
        case RowType(fields=fields) if pa.types.is_struct(column.type):
            kinds = {field.name: field.type for field in fields}
            names = [member.name for member in column.type if member.name in kinds]
            parts = [_without_padding(column.field(name), kinds[name]) for name in names]
            return pa.StructArray.from_arrays(parts, names=names, mask=nulls)
    return column  # not what its type says: the cast to it will tell
