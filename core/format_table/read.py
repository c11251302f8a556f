"""The rows of a split: columns of its files, with those of its partition beside them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

from core.arrow import arrow_schema, from_python
from core.datafile.orc import iter_orc
from core.datafile.parquet import iter_parquet
from core.datafile.read import BATCH_BYTES, BATCH_ROWS, decoding_errors
from core.format_table.csv_files import iter_csv
from core.format_table.json_files import iter_json
from core.format_table.lines import open_text
from core.format_table.options import CsvOptions, FileKind, JsonOptions, file_kind, folds_letters
from core.format_table.plan import FormatPlan, FormatSplit
from core.format_table.stored_columns import StoredColumns
from core.format_table.text_files import iter_text
from core.io.file_io import FileIO
from core.predicate import Predicate, evaluate, references, split_and
from core.read.pushdown import filters_on
from core.schema.table_schema import TableSchema
from core.types import DataField

_repeat: Any = pa.repeat  # its stubs want the type spelled out


def read_format_split(
    io: FileIO, schema: TableSchema, split: FormatSplit, plan: FormatPlan
) -> Iterator[pa.RecordBatch]:
    """Batches of the plan's columns with the rows that satisfy its filter.

    Memory: one batch and what a decoder holds, a row group's pages, a stripe or some megabytes of text.

    Raises:
        NotFoundError: a file is gone since the plan was made: an overwrite took it.
        FormatError: a file is damaged, or a value is none of its column; with the file's path.
        UnsupportedError: a codec that is not read.
    """
    of_files = [f for f in schema.fields if f.name not in schema.partition_keys]
    names = {field.name for field in plan.fields} | set(references(plan.predicate) if plan.predicate else ())
    wanted = [f for f in of_files if f.name in names] or of_files[:1]  # one, to count rows by
    constants = {
        f.name: from_python([value], f.type)[0]
        for f, value in zip(schema.partition_fields, split.partition, strict=True)
        if f.name in names
    }
    read = [f for f in schema.fields if f in wanted or f.name in constants]
    asked = [field.name for field in plan.fields]
    for file in split.files:
        for batch in _batches(io, file.path, of_files, wanted, schema.options, plan.predicate):
            whole = _with_constants(batch, read, constants)
            kept = whole if plan.predicate is None else whole.filter(evaluate(plan.predicate, whole))
            if kept.num_rows:
                yield kept.select(asked)


def _batches(
    io: FileIO,
    path: str,
    fields: Sequence[DataField],
    wanted: Sequence[DataField],
    options: Mapping[str, str],
    predicate: Predicate | None,
) -> Iterator[pa.RecordBatch]:
    kind = file_kind(options)
    with decoding_errors(path):
        if kind in (FileKind.PARQUET, FileKind.ORC):
            stored = StoredColumns(
                fields, wanted, folds_letters=folds_letters(options), by_position=kind is FileKind.ORC
            )
            yield from _columnar(io, path, kind, wanted, predicate, stored)
            return
        with open_text(io, path) as source:
            match kind:
                case FileKind.CSV:
                    yield from iter_csv(source, fields, wanted, CsvOptions.of(options))
                case FileKind.JSON:
                    yield from iter_json(source, wanted, JsonOptions.of(options))
                case FileKind.TEXT:
                    yield from iter_text(source, wanted[0])


def _columnar(
    io: FileIO,
    path: str,
    kind: FileKind,
    wanted: Sequence[DataField],
    predicate: Predicate | None,
    stored: StoredColumns,
) -> Iterator[pa.RecordBatch]:
    conjuncts = [] if predicate is None else split_and(predicate)
    known = {field.name for field in wanted}
    filters = filters_on([c for c in conjuncts if references(c) and set(references(c)) <= known], wanted)
    with io.open_input(path) as source:
        batches = (
            iter_parquet(
                source,
                stored.names,
                max_rows=BATCH_ROWS,
                max_bytes=BATCH_BYTES,
                row_filters=filters,
            )
            if kind is FileKind.PARQUET
            else iter_orc(
                source,
                stored.fields,
                max_rows=BATCH_ROWS,
                predicates=[(f.predicate, f.fields) for f in filters],
            )
        )
        for _, batch in batches:
            yield stored.named(batch)


def _with_constants(
    batch: pa.RecordBatch, fields: Sequence[DataField], constants: Mapping[str, Any]
) -> pa.RecordBatch:
    """All columns in the table's order; what a file says of NOT NULL is not held against it."""
    columns = [
        _repeat(constants[f.name], batch.num_rows) if f.name in constants else batch.column(f.name)
        for f in fields
    ]
    schema = pa.schema([field.with_nullable(True) for field in arrow_schema(fields)])
    return pa.RecordBatch.from_arrays(columns, schema=schema)
