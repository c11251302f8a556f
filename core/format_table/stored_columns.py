"""Which columns of a Parquet or ORC file are those of its table. Spec: 04, C5; docs/spec-notes.md.

By name, letter by letter; in any letters where the catalog says `case-sensitive = false`, as in Paimon 2.0.0,
and in tables that Hive made, whose metastore keeps small letters alone; by position in files of ORC that old
writers of Hive made, whose columns are all called `_col0`, `_col1`, ...
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa

from core.arrow import arrow_schema
from core.datafile.conform import conform
from core.errors import FormatError
from core.types import ArrayType, DataField, DataType, MapType, MultisetType, RowType

_UNNAMED = re.compile(r"_col\d+")


class StoredColumns:
    """What one file calls the columns of a table; ask `fields` first, with the schema of the file."""

    def __init__(
        self,
        columns: Sequence[DataField],
        wanted: Sequence[DataField],
        *,
        folds_letters: bool,
        by_position: bool = False,
    ) -> None:
        """`columns` are all that the table has in its files, `by_position` whether theirs may be unnamed."""
        self._columns = columns
        self._wanted = wanted
        self._folds = folds_letters
        self._by_position = by_position
        self._stored: Sequence[DataField] = wanted

    def fields(self, schema: pa.Schema) -> Sequence[DataField]:
        """The columns that are wanted, as the file has them; a column that it lacks stays as it is.

        Raises:
            FormatError: the file has several columns whose names differ in letters alone.
        """
        if self._by_position and schema.names and all(map(_UNNAMED.fullmatch, schema.names)):
            self._stored = self._placed(schema)
        elif self._folds:
            self._stored = [in_its_letters(field, schema) for field in self._wanted]
        return self._stored

    def names(self, schema: pa.Schema) -> list[str]:
        """The names of `fields`."""
        return [field.name for field in self.fields(schema)]

    def named(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """What was read of the file, by the table's names and in canonical form; raises as `conform`."""
        found = conform(batch, self._stored)
        if self._stored is self._wanted:
            return found
        schema = arrow_schema(self._wanted)
        columns: Any = [column.view(f.type) for column, f in zip(found.columns, schema, strict=True)]
        return pa.RecordBatch.from_arrays(columns, schema=schema)

    def _placed(self, schema: pa.Schema) -> list[DataField]:
        if any(field.name in schema.names for field in self._columns):
            return list(self._wanted)  # it is called so
        positions = {field.name: at for at, field in enumerate(self._columns)}
        found = []
        for field in self._wanted:
            at = positions[field.name]
            found.append(replace(field, name=schema.names[at]) if at < len(schema.names) else field)
        return found


def in_its_letters(field: DataField, within: Any) -> DataField:
    """The column as a schema, or the type of a struct, has it."""
    alike = [other for other in within if other.name.lower() == field.name.lower()]
    if len(alike) > 1:
        raise FormatError(
            "a file has columns whose names differ in letters alone, and the table has one of that name",
            column=field.name,
            found=", ".join(other.name for other in alike),
        )
    return replace(field, name=alike[0].name, type=_typed(field.type, alike[0].type)) if alike else field


def _typed(kind: DataType, stored: Any) -> DataType:
    """The type with the members of its rows as the file calls them."""
    match kind:
        case RowType(fields=fields) if pa.types.is_struct(stored):
            return replace(kind, fields=tuple(in_its_letters(field, stored) for field in fields))
        case ArrayType(element=element) if pa.types.is_list(stored):
            return replace(kind, element=_typed(element, stored.value_type))
        case MultisetType(element=element) if pa.types.is_map(stored):
            return replace(kind, element=_typed(element, stored.key_type))
        case MapType(key=key, value=value) if pa.types.is_map(stored):
            return replace(kind, key=_typed(key, stored.key_type), value=_typed(value, stored.item_type))
    return kind
