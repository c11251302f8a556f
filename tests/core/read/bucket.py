"""One bucket of hand-made data files, to read with `read_split`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import orc

from core.arrow import arrow_schema, from_python, to_python
from core.binary import EMPTY_ROW, BinaryRow, encode_row
from core.datafile.system_fields import (
    SEQUENCE_NUMBER,
    VALUE_KIND,
    key_field,
    readable_fields,
    select_fields,
)
from core.deletionvectors import DeletionVector, encode_index_file
from core.io.local import LocalFileIO
from core.io.paths import TablePaths
from core.manifest import DataFileMeta
from core.read import read_split
from core.scan import DeletionFile, Split
from core.schema import TableSchema
from core.types import DataField, parse_type
from tests.builders import data_file

Row = tuple[Any, ...]


def schema(
    columns: Mapping[str, str], keys: Sequence[str] = (), *, partition: Sequence[str] = (), **options: str
) -> TableSchema:
    """A schema of `name: type`; options are spelled with `_` for `-` and `__` for `.`."""
    fields = tuple(DataField(i, name, parse_type(text)) for i, (name, text) in enumerate(columns.items()))
    return TableSchema(
        id=0,
        fields=fields,
        highest_field_id=len(fields),
        partition_keys=tuple(partition),
        primary_keys=tuple(keys),
        options={key.replace("__", ".").replace("_", "-"): value for key, value in options.items()},
    )


@dataclass
class _Schemas:
    known: dict[int, TableSchema]

    def get(self, schema_id: int) -> TableSchema:
        return self.known[schema_id]


@dataclass
class Bucket:
    """Files in a directory, and what a table knows of them."""

    root: Path
    schema: TableSchema
    partition: BinaryRow = EMPTY_ROW
    files: list[DataFileMeta] = field(default_factory=list)
    table_root: Path | None = None  # where it is not `root`, which holds the bucket
    deletion_files: list[DeletionFile] = field(default_factory=list)
    schemas: Any = field(default_factory=lambda: _Schemas({}))

    raw_convertible: bool = False

    io = LocalFileIO()
    manifests: Any = None

    @property
    def paths(self) -> TablePaths:
        return TablePaths(str(self.table_root or self.root))

    def write(
        self,
        rows: Sequence[Row],
        *,
        sequences: Sequence[int] | None = None,
        kinds: Sequence[int] | None = None,
        level: int = 0,
        extension: str = "parquet",
        deletes: int | None = None,
        with_keys: bool = True,
    ) -> DataFileMeta:
        """Add a file of rows (values in the schema's order) as they stand; nothing is sorted or merged."""
        fields = list(self.schema.fields)
        columns = {f.name: [row[i] for row in rows] for i, f in enumerate(fields)}
        stored = list(fields)
        keys = self.schema.key_fields() if self.schema.primary_keys else ()
        if keys:
            columns[SEQUENCE_NUMBER.name] = list(sequences or range(len(rows)))
            columns[VALUE_KIND.name] = list(kinds or [0] * len(rows))
            stored = [SEQUENCE_NUMBER, VALUE_KIND, *fields]
        if keys and with_keys:
            columns |= {key_field(key).name: columns[key.name] for key in keys}
            stored = [*map(key_field, keys), *stored]
        self._store(f"data-{len(self.files)}.{extension}", columns, stored)
        numbers = columns.get(SEQUENCE_NUMBER.name) or [0]
        meta = data_file(
            f"data-{len(self.files)}.{extension}",
            row_count=len(rows),
            min_key=self._key(rows[0]),
            max_key=self._key(rows[-1]),
            min_sequence_number=min(numbers),
            max_sequence_number=max(numbers),
            schema_id=self.schema.id,
            level=level,
            delete_row_count=deletes,
        )
        self.files.append(meta)
        self.schemas.known[self.schema.id] = self.schema
        return meta

    def write_part(
        self,
        columns: Sequence[str],
        rows: Sequence[Row],
        *,
        first_row_id: int,
        sequence: int = 1,
        **changes: Any,
    ) -> DataFileMeta:
        """Add a file of some columns of the rows from a row id on; hidden columns may be among them."""
        name = f"data-{len(self.files)}.{changes.pop('extension', 'parquet')}"
        fields = [{f.name: f for f in readable_fields(self.schema)}[column] for column in columns]
        self._store(name, {f.name: [row[i] for row in rows] for i, f in enumerate(fields)}, fields)
        meta = data_file(
            name,
            row_count=len(rows),
            first_row_id=first_row_id,
            write_cols=tuple(columns),
            min_sequence_number=sequence,
            max_sequence_number=sequence,
            schema_id=self.schema.id,
            **changes,
        )
        self.files.append(meta)
        self.schemas.known[self.schema.id] = self.schema
        return meta

    def delete(self, vectors: Mapping[str, DeletionVector]) -> None:
        """Mark rows of files as deleted, in one index file."""
        data, ranges = encode_index_file(vectors)
        path = self.paths.index_file(f"index-{len(self.deletion_files)}")
        self.io.write(path, data)
        self.deletion_files += [DeletionFile(path, vector) for vector in ranges]

    def _store(self, name: str, columns: Mapping[str, list[Any]], fields: Sequence[DataField]) -> None:
        arrays = [from_python(columns[f.name], f.type) for f in fields]
        table = pa.Table.from_arrays(arrays, schema=arrow_schema(fields))
        directory = self.root / "bucket-0"
        directory.mkdir(exist_ok=True)
        if name.endswith(".orc"):
            orc.write_table(_without_times(table), directory / name)
        else:
            pq.write_table(table, directory / name, row_group_size=4)

    def _key(self, row: Row) -> BinaryRow:
        keys = self.schema.key_fields() if self.schema.primary_keys else ()
        names = list(self.schema.field_names)
        return encode_row([key.type for key in keys], [row[names.index(key.name)] for key in keys])

    @property
    def split(self) -> Split:
        files, vectors = tuple(self.files), tuple(self.deletion_files)
        return Split(1, self.partition, 0, 1, files, self.raw_convertible, vectors)

    def read(
        self,
        columns: Sequence[str] | None = None,
        filter: str | None = None,
        *,
        as_schema: TableSchema | None = None,
    ) -> list[Row]:
        """Rows in internal values, in the order read."""
        read_schema = as_schema or self.schema
        fields = select_fields(read_schema, columns)
        batches = list(read_split(self, read_schema, self.split, columns, filter))
        table = pa.Table.from_batches(batches, schema=arrow_schema(fields))
        values = [to_python(table.column(f.name), f.type) for f in fields]
        return list(zip(*values, strict=True))


def _without_times(table: pa.Table) -> pa.Table:
    """ORC keeps TIME as INT. Spec: 04, A3."""
    fields = [f.with_type(pa.int32()) if pa.types.is_time32(f.type) else f for f in table.schema]
    return table.cast(pa.schema(fields))
