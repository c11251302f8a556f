"""Versions of keys as a window of rows, and both forms of an engine over them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Context, Decimal
from itertools import groupby
from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st

from core.arrow import arrow_schema, from_python, to_python
from core.errors import UnsupportedError
from core.mergetree.key_value import KeyValue
from core.mergetree.merge import Engine, combined_rows
from core.mergetree.sort_merge import Window
from core.mergetree.versions import Versions
from core.schema import TableSchema
from core.types import DataField, RowKind, parse_type

Row = tuple[Any, ...]
Clear = Callable[[Sequence[KeyValue]], KeyValue | None]
REFUSED = "refused"
EXACT = Context(prec=100)


def keyed_schema(columns: Mapping[str, str], options: Mapping[str, str]) -> TableSchema:
    """A schema of `k INT NOT NULL`, the key, and other columns."""
    types = {"k": "INT NOT NULL", **columns}
    fields = tuple(DataField(i, name, parse_type(text)) for i, (name, text) in enumerate(types.items()))
    return TableSchema(
        id=0,
        fields=fields,
        highest_field_id=len(fields),
        partition_keys=(),
        primary_keys=("k",),
        options=dict(options),
    )


def versions(*values: st.SearchStrategy[Any], kinds: Sequence[RowKind] = tuple(RowKind)) -> Any:
    """Some versions of a few keys; sequence numbers repeat now and then."""
    version = st.builds(
        lambda key, sequence, kind, row: KeyValue((key,), sequence, kind, (key, *row)),
        st.integers(0, 3),
        st.integers(0, 30),
        st.sampled_from(kinds),
        st.tuples(*values),
    )
    return st.lists(version, max_size=14)


def window_of(schema: TableSchema, rows: Sequence[KeyValue]) -> tuple[Window, Versions]:
    fields = schema.fields
    columns = [from_python([row.value[i] for row in rows], f.type) for i, f in enumerate(fields)]
    table = pa.Table.from_arrays(columns, schema=arrow_schema(fields))
    keys = np.array([row.key[0] for row in rows], dtype=np.int64)
    sequence = np.array([row.sequence_number for row in rows], dtype=np.int64)
    kinds = np.array([row.kind for row in rows], dtype=np.int8)
    return Window((table,), keys), Versions.of(keys, [sequence], kinds)


def columnar(schema: TableSchema, engine: Engine, rows: Sequence[KeyValue]) -> list[Row] | str:
    window, ordered = window_of(schema, rows)
    try:
        batch = combined_rows(engine, window, ordered, schema.fields)
    except UnsupportedError:
        return REFUSED
    batch.validate(full=True)
    columns = [to_python(batch.column(i), f.type) for i, f in enumerate(schema.fields)]
    return [tuple(map(comparable, row)) for row in zip(*columns, strict=True)]


def clear(engine: Clear, rows: Sequence[KeyValue]) -> list[Row] | str:
    ordered = sorted(rows, key=lambda v: (v.key, v.sequence_number, not v.kind.is_retract))
    try:
        merged = [engine(list(group)) for _, group in groupby(ordered, key=lambda v: v.key)]
    except UnsupportedError:
        return REFUSED
    return [tuple(map(comparable, v.value)) for v in merged if v is not None and not v.kind.is_retract]


def comparable(value: Any) -> Any:
    """Collections in an order of their own; numbers by their text, as NaN differs from itself."""
    if isinstance(value, Decimal):
        return repr(EXACT.add(value, 0))  # Arrow has no negative zero
    return sorted(map(repr, value)) if isinstance(value, list) else repr(value)
