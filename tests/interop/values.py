"""Arrow tables <-> the JSON values of tests/corpora/README.md.

Also imported by drivers/pypaimon21.py, so it needs nothing but pyarrow (any from 16 on) and numpy.
"""

from __future__ import annotations

import base64
import datetime
import decimal
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

Json = Any
Rows = list[list[Json]]

_UNITS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}  # ticks a second
_EPOCH = datetime.datetime(1970, 1, 1)


def json_rows(table: pa.Table, types: Mapping[str, str] | None = None) -> Rows:
    """The rows of a table as JSON values.

    `types` gives the SQL text of a column's type where Arrow's says too little: the precision of a TIMESTAMP.
    Without it a timestamp has as many digits as its unit.
    """
    columns = [
        _to_json(_whole(table.column(i)), _digits((types or {}).get(name, "")))
        for i, name in enumerate(table.column_names)
    ]
    return [list(row) for row in zip(*columns, strict=True)] if columns else []


def arrow_table(rows: Sequence[Sequence[Json]], schema: pa.Schema) -> pa.Table:
    """A table of JSON rows; a description's rows come with their row kind, which is not a value."""
    columns = [
        pa.array([_from_json(row[i], field.type) for row in rows], field.type)
        for i, field in enumerate(schema)
    ]
    return pa.Table.from_arrays(columns, schema=schema)


def differences(actual: pa.Table, expected: Mapping[str, Json], types: Mapping[str, str]) -> dict[str, Json]:
    """How a table differs from an answer of the corpora, as multisets of rows; empty if it does not.

    `expected` has `columns` and `rows`; `types` is the SQL text of each column's type.
    """
    if actual.column_names != list(expected["columns"]):
        return {"columns": {"actual": actual.column_names, "expected": list(expected["columns"])}}
    schema = actual.schema
    wanted = [[_canonical(v, schema.field(i).type) for i, v in enumerate(row)] for row in expected["rows"]]
    ours, theirs = _multiset(json_rows(actual, types)), _multiset(wanted)
    found = {"missing": sorted((theirs - ours).elements()), "unexpected": sorted((ours - theirs).elements())}
    return {key: value for key, value in found.items() if value}


def same_rows(some: Sequence[Json], others: Sequence[Json]) -> bool:
    """Whether two lists of JSON rows are equal as multisets."""
    return _multiset(some) == _multiset(others)


def _multiset(rows: Sequence[Json]) -> Counter[str]:
    return Counter(json.dumps(row, ensure_ascii=False, sort_keys=True) for row in rows)


def _whole(column: pa.ChunkedArray) -> pa.Array:
    whole = column.combine_chunks()
    return pa.concat_arrays(whole.chunks) if isinstance(whole, pa.ChunkedArray) else whole


def _digits(sql: str) -> int | None:
    """The precision that a TIMESTAMP's SQL text names; 6 is Paimon's default."""
    if not sql.startswith("TIMESTAMP"):
        return None
    _, bracket, rest = sql.partition("(")
    return int(rest.split(")")[0]) if bracket else 6


def _to_json(array: pa.Array, digits: int | None = None) -> list[Json]:
    kind = array.type
    if pa.types.is_dictionary(kind):
        return _to_json(array.dictionary_decode(), digits)
    if isinstance(kind, pa.BaseExtensionType):
        return _to_json(array.storage, digits)
    if pa.types.is_map(kind):
        keys, items = _to_json(array.keys), _to_json(array.items)
        return [_pairs(keys[lo:hi], items[lo:hi]) if valid else None for valid, lo, hi in _ranges(array)]
    if _is_list(kind):
        values = _to_json(array.values)
        return [values[lo:hi] if valid else None for valid, lo, hi in _ranges(array)]
    if pa.types.is_struct(kind):
        names = [kind.field(i).name for i in range(kind.num_fields)]
        members = zip(*(_to_json(child) for child in array.flatten()), strict=True)
        rows = [dict(zip(names, row, strict=True)) for row in members]
        return [row if valid else None for row, valid in zip(rows, array.is_valid().to_pylist(), strict=True)]
    return [None if value is None else _scalar(value, kind, digits) for value in _plain(array)]


def _is_list(kind: pa.DataType) -> bool:
    return pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)


def _ranges(array: pa.Array) -> list[tuple[bool, int, int]]:
    """Of each entry: whether it is there, and where its values stand in the child array."""
    valid = array.is_valid().to_pylist()
    if pa.types.is_fixed_size_list(array.type):
        size = array.type.list_size
        starts = [(array.offset + i) * size for i in range(len(array) + 1)]
    else:
        starts = array.offsets.to_pylist()
    return list(zip(valid, starts[:-1], starts[1:], strict=True))


def _pairs(keys: list[Json], items: list[Json]) -> Json:
    pairs = [list(pair) for pair in zip(keys, items, strict=True)]
    return sorted(pairs, key=_json_text_of_key)


def _json_text_of_key(pair: list[Json]) -> str:
    return json.dumps(pair[0], ensure_ascii=False, separators=(",", ":"))


def _plain(array: pa.Array) -> list[Any]:
    """Values without a detour over types that lose digits: times as whole numbers of their unit."""
    if pa.types.is_timestamp(array.type):
        return array.cast(pa.int64()).to_pylist()
    if pa.types.is_time(array.type):
        return array.cast(pa.time64("ns")).cast(pa.int64()).to_pylist()
    return array.to_pylist()


def _scalar(value: Any, kind: pa.DataType, digits: int | None) -> Json:
    if pa.types.is_timestamp(kind):
        return _timestamp_text(value, kind, digits)
    if pa.types.is_time(kind):
        return _time_text(value)
    if pa.types.is_date(kind):
        return f"{value.year:04d}-{value.month:02d}-{value.day:02d}"
    if pa.types.is_decimal(kind):
        return format(value, "f")
    if pa.types.is_floating(kind):
        return _number(np.float32(value) if pa.types.is_float32(kind) else np.float64(value))
    return base64.b64encode(value).decode() if isinstance(value, bytes) else value


def _number(value: np.float32 | np.float64) -> Json:
    """The shortest decimal number that reads back as the same FLOAT or DOUBLE."""
    if np.isnan(value):
        return "NaN"
    if np.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return float(str(value))


def _timestamp_text(ticks: int, kind: pa.TimestampType, digits: int | None) -> str:
    seconds, rest = divmod(ticks, _UNITS[kind.unit])
    nanos = rest * (10**9 // _UNITS[kind.unit])
    shown = len(str(_UNITS[kind.unit])) - 1 if digits is None else digits
    moment = _EPOCH + datetime.timedelta(seconds=seconds)
    fraction = f".{nanos:09d}"[: shown + 1] if shown else ""
    return f"{moment.year:04d}-{moment:%m-%dT%H:%M:%S}{fraction}{'Z' if kind.tz else ''}"


def _time_text(nanos: int) -> str:
    seconds, rest = divmod(nanos, 10**9)
    return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}.{rest // 10**6:03d}"


def _canonical(value: Json, kind: pa.DataType) -> Json:
    """An expected value as `json_rows` prints it: writers differ in a FLOAT's digits and a map's order."""
    if value is None:
        return None
    if pa.types.is_floating(kind):
        return _number(np.float32(value) if pa.types.is_float32(kind) else np.float64(value))
    if pa.types.is_map(kind):
        pairs = [[_canonical(key, kind.key_type), _canonical(item, kind.item_type)] for key, item in value]
        return sorted(pairs, key=_json_text_of_key)
    if _is_list(kind):
        return [_canonical(item, kind.value_type) for item in value]
    if pa.types.is_struct(kind) and isinstance(value, dict):
        return {name: _canonical(item, kind.field(name).type) for name, item in value.items()}
    return value


def _from_json(value: Json, kind: pa.DataType) -> Any:
    if value is None:
        return None
    if pa.types.is_map(kind):
        return [(_from_json(key, kind.key_type), _from_json(item, kind.item_type)) for key, item in value]
    if _is_list(kind):
        return [_from_json(item, kind.value_type) for item in value]
    if pa.types.is_struct(kind):
        return {name: _from_json(item, kind.field(name).type) for name, item in value.items()}
    if pa.types.is_timestamp(kind):
        return _ticks(value, kind.unit)
    if pa.types.is_time(kind):
        return datetime.time.fromisoformat(value)
    if pa.types.is_date(kind):
        return datetime.date.fromisoformat(value)
    if pa.types.is_decimal(kind):
        return decimal.Decimal(value)
    if pa.types.is_floating(kind):
        return float(value)
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind):
        return base64.b64decode(value)
    return value


def _ticks(text: str, unit: str) -> int:
    moment, _, fraction = text.rstrip("Z").partition(".")
    seconds = round((datetime.datetime.fromisoformat(moment) - _EPOCH).total_seconds())
    return seconds * _UNITS[unit] + int(fraction.ljust(9, "0")) // (10**9 // _UNITS[unit])
