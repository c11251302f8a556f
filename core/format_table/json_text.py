"""Columns as JSON, as Paimon 2.0.0 writes them: simple values are texts, whatever their type."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as _pc

from core.format_table.csv_files import joined_lines
from core.format_table.options import JsonOptions
from core.format_table.text_values import texts_of
from core.types import ArrayType, DataField, DataType, MapType, RowType

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time
_pa: Any = pa

_SHORT = {"\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_CONTROLS = [chr(code) for code in range(32)]


def write_json(rows: pa.Table, fields: Sequence[DataField], options: JsonOptions) -> Iterator[bytes]:
    """The lines of some rows, in pieces."""
    for batch in rows.to_batches():
        columns = [(f.name, _json(batch.column(f.name), f.type)) for f in fields]
        yield joined_lines(_object(columns), options.line_end)


def _object(members: Sequence[tuple[str, Any]]) -> Any:
    """`{"a":...,"b":...}` of columns that hold JSON."""
    parts: list[Any] = []
    for place, (name, column) in enumerate(members):
        parts += [f"{'{' if place == 0 else ','}{_escaped(pa.array([name]))[0].as_py()}:", column]
    return pc.binary_join_element_wise(*parts, "}", "")


def _json(column: Any, kind: DataType) -> Any:
    """The JSON of each value, `null` for nulls."""
    match kind:
        case ArrayType():
            inner = _json(column.values, kind.element)
            made = _joined(column, inner, "[", "]")
        case MapType():
            keys = texts_of(column.keys, kind.key)
            pairs = pc.binary_join_element_wise(_escaped(keys), _json(column.items, kind.value), ":")
            made = _joined(column, pairs, "{", "}")
        case RowType():
            members = [(f.name, _json(column.field(place), f.type)) for place, f in enumerate(kind.fields)]
            made = _object(members)
        case _:
            made = _escaped(texts_of(column, kind))
    return pc.if_else(column.is_valid(), made, "null") if column.null_count else made


def _joined(column: Any, inner: Any, opening: str, closing: str) -> Any:
    lists = _pa.ListArray.from_arrays(column.offsets, inner)
    return pc.binary_join_element_wise(opening, pc.binary_join(lists, ","), closing, "")


def _escaped(texts: Any) -> Any:
    """Texts in quotes, with escapes."""
    escaped = texts
    if pc.any(pc.match_substring_regex(texts, '[\\x00-\\x1f"\\\\]')).as_py():
        escaped = pc.replace_substring(pc.replace_substring(texts, "\\", "\\\\"), '"', '\\"')
        if pc.any(pc.match_substring_regex(texts, "[\\x00-\\x1f]")).as_py():
            for sign in _CONTROLS:
                escaped = pc.replace_substring(escaped, sign, _SHORT.get(sign, f"\\u{ord(sign):04X}"))
    return pc.binary_join_element_wise('"', escaped, '"', "")
