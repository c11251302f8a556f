"""Files of JSON, an object a line <-> batches of columns.

Paimon writes every value of a simple type as a text (`{"a":"1"}`) and reads texts, numbers and booleans
alike. So a block of lines is decoded as texts; where a file of another hand has numbers, with the types that
the decoder finds; and line by line (`json_lines.py`) where neither goes: lines that are no JSON, columns that
change their kind within a block, and maps, which are objects of any keys.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from io import BytesIO
from typing import IO, Any

import pyarrow as pa
import pyarrow.compute as _pc
import pyarrow.json as _json

from core.arrow import arrow_type
from core.errors import FormatError, UnsupportedError
from core.format_table.json_lines import rows_of, text_shape
from core.format_table.lines import line_blocks
from core.format_table.options import JsonOptions
from core.format_table.stored_columns import in_its_letters
from core.format_table.text_values import parsed
from core.types import (
    ArrayType,
    BlobType,
    DataField,
    DataType,
    GeographyType,
    GeometryType,
    MapType,
    MultisetType,
    RowType,
    VariantType,
    VectorType,
    inner_types,
    type_to_text,
)

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time
json: Any = _json
_pa: Any = pa

_NOT_HELD = (MultisetType, VariantType, VectorType, BlobType, GeometryType, GeographyType)


def check_json(fields: Sequence[DataField]) -> None:
    """`UnsupportedError` if JSON holds a type of these columns not, or not with us."""
    for field in fields:
        for inner in inner_types(field.type):
            if isinstance(inner, _NOT_HELD):
                kind = type_to_text(inner)
                raise UnsupportedError(
                    "files of JSON hold no such type", feature=f"type {kind} in JSON", column=field.name
                )


def iter_json(
    source: IO[bytes], wanted: Sequence[DataField], options: JsonOptions
) -> Iterator[pa.RecordBatch]:
    """Batches of the columns `wanted`, one at least.

    Raises:
        FormatError: a line is no JSON object, or a value none of its column, unless errors are ignored.
    """
    has_maps = any(isinstance(inner, MapType) for f in wanted for inner in inner_types(f.type))
    for block in line_blocks(source):
        texts = None if has_maps else _texts(block, wanted, options)
        if texts is None:
            texts = rows_of(block, wanted, options)
        columns = [_values(texts.column(f.name), f.type, f.name, options) for f in wanted]
        if texts.num_rows:
            yield pa.RecordBatch.from_arrays(columns, names=[f.name for f in wanted])


def _texts(block: bytes, wanted: Sequence[DataField], options: JsonOptions) -> Any:
    """The rows with texts in the place of simple values; None if the decoder does not take the block."""
    if not options.folds_letters:
        return _by_name(block, wanted)
    try:
        schema = _decoded(block, None).schema
        stored = [in_its_letters(field, schema) for field in wanted]
    except (pa.ArrowException, FormatError):  # some lines have a column in these letters, some in others
        return None
    texts = _by_name(block, stored)
    if texts is None or stored == list(wanted):
        return texts
    shape = pa.schema([pa.field(f.name, text_shape(f.type)) for f in wanted])
    columns = [texts.column(i).combine_chunks().view(field.type) for i, field in enumerate(shape)]
    return pa.Table.from_arrays(columns, schema=shape)


def _by_name(block: bytes, wanted: Sequence[DataField]) -> Any:
    schema = pa.schema([pa.field(f.name, text_shape(f.type)) for f in wanted])
    try:
        return _decoded(block, schema)
    except pa.ArrowException:
        pass
    try:
        found = _decoded(block, None)
        columns = [
            found.column(f.name).cast(text_shape(f.type))
            if f.name in found.schema.names and _is_exact(found.schema.field(f.name).type)
            else (_give_up() if f.name in found.schema.names else pa.nulls(len(found), text_shape(f.type)))
            for f in wanted
        ]
    except (pa.ArrowException, _OddError):
        return None
    return pa.Table.from_arrays(columns, schema=schema).combine_chunks()


class _OddError(Exception):
    """Texts of what was decoded would not be those that the file has."""


def _give_up() -> Any:
    raise _OddError


def _is_exact(kind: Any) -> bool:
    """Whether the decoder's values print as they stood: times that it guessed, and fractions, may not."""
    return bool(pa.types.is_integer(kind) or pa.types.is_string(kind) or pa.types.is_boolean(kind))


def _decoded(block: bytes, schema: Any) -> Any:
    return json.read_json(
        BytesIO(block),
        read_options=json.ReadOptions(use_threads=False, block_size=len(block) + 1),
        parse_options=json.ParseOptions(
            explicit_schema=schema,
            newlines_in_values=False,
            unexpected_field_behavior="infer" if schema is None else "ignore",
        ),
    ).combine_chunks()


def _values(column: Any, kind: DataType, name: str, options: JsonOptions) -> Any:
    """A column of texts as one of values."""
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)
    target: Any = arrow_type(kind)
    match kind:
        case ArrayType():
            inner = _values(column.values, kind.element, name, options)
            made = _pa.ListArray.from_arrays(column.offsets, inner, type=target)
            return pc.if_else(column.is_valid(), made, pa.scalar(None, target)) if column.null_count else made
        case RowType():
            members = [
                _values(member, f.type, f"{name}.{f.name}", options)
                for member, f in zip(column.flatten(), kind.fields, strict=True)
            ]
            mask = pc.invert(column.is_valid()) if column.null_count else None
            return _pa.StructArray.from_arrays(members, fields=list(target), mask=mask)
        case MapType():
            keys = _values(column.keys, kind.key, name, options)
            items = _values(column.items, kind.value, name, options)
            made = _pa.MapArray.from_arrays(column.offsets, keys, items, type=target)
            return pc.if_else(column.is_valid(), made, pa.scalar(None, target)) if column.null_count else made
    values, bad = parsed(column, kind)
    if bad is not None and not options.ignores_errors and pc.any(bad).as_py():
        raise FormatError("a value of JSON is none of its column", column=name, expected=type_to_text(kind))
    return values
