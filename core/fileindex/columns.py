"""Which columns of a table have file indexes, and of what kind: options -> `IndexedColumn`. Spec: 05, 4."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from core.errors import InvalidRequestError
from core.schema.table_schema import TableSchema
from core.types import CharType, DataField, DataType, MapType, VarCharType

_PREFIX, _COLUMNS = "file-index.", ".columns"
INDEX_TYPES = ("bloom-filter", "bitmap", "bsi", "range-bitmap")


@dataclass(frozen=True, slots=True)
class IndexedColumn:
    """One index of one column, or of the values that one key has in a map column."""

    field: DataField
    index_type: str
    key: str | None  # of a map
    settings: Mapping[str, str]  # `items`, `version`, ... of the index

    @property
    def name(self) -> str:
        """As the head of an index spells it."""
        return self.field.name if self.key is None else f"{self.field.name}[{self.key}]"

    @property
    def type(self) -> DataType:
        """Of the values that are indexed."""
        return self.field.type.value if isinstance(self.field.type, MapType) else self.field.type


def indexed_columns(schema: TableSchema) -> tuple[IndexedColumn, ...]:
    """All that the table's options ask for, each once.

    Raises:
        InvalidRequestError: an unknown type of index, no such column, a key of what is no map with
            texts for keys, or settings of a column without the index.
    """
    found = {(c.name, c.index_type): c for c in _declared(schema)}
    for key in schema.options:
        _check_setting(key, found.values())
    return tuple(found.values())


def _declared(schema: TableSchema) -> Iterator[IndexedColumn]:
    for option, text in schema.options.items():
        if option.startswith(_PREFIX) and option.endswith(_COLUMNS) and option.count(".") == 2:
            index_type = option.removeprefix(_PREFIX).removesuffix(_COLUMNS)
            if index_type not in INDEX_TYPES:
                raise InvalidRequestError(
                    "no such type of file index", option=option, expected=", ".join(INDEX_TYPES)
                )
            for name in filter(None, map(str.strip, text.split(","))):
                yield _column(schema, index_type, name, option)


def _column(schema: TableSchema, index_type: str, name: str, option: str) -> IndexedColumn:
    column, bracket, rest = name.partition("[")
    key = rest[:-1] if bracket and rest.endswith("]") else None
    data_field = next((f for f in schema.fields if f.name == column), None)
    if data_field is None:
        raise InvalidRequestError("no such column to index", option=option, found=name)
    is_map = isinstance(data_field.type, MapType) and isinstance(data_field.type.key, (CharType, VarCharType))
    if is_map != (key is not None):
        raise InvalidRequestError(
            "an index is of a column, or of a key of a map whose keys are texts, as in m[k]",
            option=option,
            found=name,
        )
    settings = _settings(schema.options, index_type, column)
    if key is not None:
        settings |= _settings(schema.options, index_type, name)
    return IndexedColumn(data_field, index_type, key, settings)


def _settings(options: Mapping[str, str], index_type: str, name: str) -> dict[str, str]:
    start = f"{_PREFIX}{index_type}.{name}."
    return {k.removeprefix(start): v for k, v in options.items() if k.startswith(start) and k.count(".") == 3}


def _check_setting(option: str, columns: Iterable[IndexedColumn]) -> None:
    parts = option.split(".")
    if parts[0] != "file-index" or len(parts) != 4:
        return
    declared = {(c.index_type, name) for c in columns for name in (c.name, c.field.name)}
    if (parts[1], parts[2]) not in declared:
        raise InvalidRequestError("settings of a column that has no such index", option=option)
