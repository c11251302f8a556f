"""Lines of JSON one by one, as Paimon 2.0.0 reads them. The clear form: for blocks that Arrow's decoder does
not take, and as the oracle of it in tests."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from core.errors import FormatError
from core.format_table.options import JsonOptions
from core.types import ArrayType, DataField, DataType, MapType, RowType


class _OddError(Exception):
    """A line, or a value in it, is not what its column says."""


def rows_of(block: bytes, wanted: Sequence[DataField], options: JsonOptions) -> pa.Table:
    """The objects of a block of lines, with texts in the place of simple values.

    Raises:
        FormatError: a line is no object, or has no array, object or row where its column has one.
    """
    rows: list[dict[str, Any]] = []
    for line in block.decode(errors="replace").split("\n"):
        if not line.strip():
            continue
        try:
            found = json.loads(line, parse_float=str, parse_int=str)
            if not isinstance(found, dict):
                raise _OddError("an object")
            rows.append(_members(found, wanted, options))
        except (ValueError, _OddError) as error:
            if not options.ignores_errors:
                raise FormatError("a line is not what its table says", expected=str(error)) from error
    schema = pa.schema([pa.field(f.name, text_shape(f.type)) for f in wanted])
    return pa.Table.from_pylist(rows, schema=schema)


def text_shape(kind: DataType) -> Any:
    """The Arrow type of a column of JSON whose simple values are texts."""
    match kind:
        case ArrayType():
            return pa.list_(text_shape(kind.element))
        case RowType():
            return pa.struct([pa.field(f.name, text_shape(f.type)) for f in kind.fields])
        case MapType():
            return pa.map_(pa.string(), text_shape(kind.value))
        case _:
            return pa.string()


def _value(found: Any, kind: DataType, options: JsonOptions) -> Any:
    if found is None:
        return None
    try:
        match kind:
            case ArrayType():
                _need(found, list, "an array")
                return [_value(one, kind.element, options) for one in found]
            case MapType():
                _need(found, dict, "an object")
                return [(key, _value(one, kind.value, options)) for key, one in found.items()]
            case RowType():
                _need(found, dict, "an object")
                return _members(found, kind.fields, options)
    except _OddError:
        if options.ignores_errors:
            return None
        raise
    return _text(found)


def _members(found: dict[str, Any], fields: Sequence[DataField], options: JsonOptions) -> dict[str, Any]:
    """The columns of an object, or the members of a row; the last of several that differ in letters alone."""
    if not options.folds_letters:
        return {f.name: _value(found.get(f.name), f.type, options) for f in fields}
    folded = {key.lower(): value for key, value in found.items()}
    return {f.name: _value(folded.get(f.name.lower()), f.type, options) for f in fields}


def _need(found: Any, kind: type, words: str) -> None:
    if not isinstance(found, kind):
        raise _OddError(words)


def _text(found: Any) -> str:
    """What Jackson's `asText` gives: nothing of arrays and objects."""
    if isinstance(found, bool):
        return "true" if found else "false"
    return found if isinstance(found, str) else ""
