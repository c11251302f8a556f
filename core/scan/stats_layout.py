"""Which columns the statistics of data files are of. Spec: 03, 5; 09, 4.

A file's statistics are rows laid out by the schema it was written with, of the columns it
was written with, less those without statistics. Files of one such layout are decoded together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute

from core.binary import EMPTY_ROW
from core.datafile.system_fields import ROW_ID, SEQUENCE_NUMBER
from core.manifest import EntryColumns
from core.schema import SchemaStore, TableSchema
from core.types import DataField

Column: TypeAlias = Any  # a pa.Array: which one is known when it runs, not to its stubs
pc: Any = pyarrow.compute  # likewise
Rows: TypeAlias = npt.NDArray[np.int64]

_NO_STATS = EMPTY_ROW.to_bytes()


@dataclass(frozen=True, slots=True)
class StatsLayout:
    """Files whose statistics have the same columns in the same order."""

    rows: Rows  # of the entries
    fields: tuple[DataField, ...]  # of the statistics, as the files' schema has them
    known: frozenset[int]  # ids of all columns of their schema: one that is not there is all null
    held: frozenset[int] = frozenset()  # of those, what the files hold themselves: `_WRITE_COLS`, or all


def stats_layouts(schemas: SchemaStore, entries: EntryColumns) -> Iterator[StatsLayout]:
    """The entries by schema, columns written, and columns with statistics."""
    entries = entries.with_columns(["schema_id", "write_cols", "value_stats_cols", "value_stats_min"])
    for _, rows in grouped(_layout_keys(entries)):
        first = int(rows[0])
        schema_id, written, listed, minima = (
            entries.column(name)[first].as_py()
            for name in ("schema_id", "write_cols", "value_stats_cols", "value_stats_min")
        )
        schema = schemas.get(schema_id)
        fields = () if minima == _NO_STATS else _fields(schema, written if listed is None else listed)
        known = frozenset(field.id for field in schema.fields)
        held = frozenset(field.id for field in schema.fields if written is None or field.name in written)
        yield StatsLayout(rows, fields, known, held)


def grouped(keys: Column) -> Iterator[tuple[Any, Rows]]:
    """Each distinct value, in the order first seen, with the rows that have it."""
    encoded = keys.dictionary_encode()
    codes = encoded.indices.to_numpy()
    order = np.argsort(codes, kind="stable").astype(np.int64)
    ends = np.cumsum(np.bincount(codes, minlength=len(encoded.dictionary)))
    for value, rows in zip(encoded.dictionary, np.split(order, ends[:-1]), strict=False):
        yield value.as_py(), rows


def places(groups: Sequence[Rows]) -> Column:
    """Where, in the rows of all groups put together, each row is."""
    return pa.array(np.argsort(np.concatenate(groups), kind="stable"))


def _layout_keys(entries: EntryColumns) -> Column:
    """Equal texts for equal layouts."""
    texts = [pc.cast(entries.column("schema_id"), pa.string())]
    for name in ("write_cols", "value_stats_cols"):
        names = entries.column(name).combine_chunks()
        # The length tells a null list (all columns) from an empty one; no column name holds U+0000.
        texts.append(pc.cast(pc.fill_null(pc.list_value_length(names), -1), pa.string()))
        texts.append(pc.fill_null(pc.binary_join(names, "\0"), ""))
    texts.append(pc.cast(pc.equal(entries.column("value_stats_min"), _NO_STATS), pa.string()))
    flat = [text.combine_chunks() if isinstance(text, pa.ChunkedArray) else text for text in texts]
    return pc.binary_join_element_wise(*flat, "\1")


def _fields(schema: TableSchema, names: Sequence[str] | None) -> tuple[DataField, ...]:
    """The named columns in that order, or all; those that rows carry along (`_ROW_ID`) are counted too."""
    if names is None:
        return schema.fields
    known = {field.name: field for field in (ROW_ID, SEQUENCE_NUMBER, *schema.fields)}
    return tuple(known[name] for name in names if name in known)
