"""The schema of a table, and its file. Spec: 01, 6."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from core.arguments import column_names
from core.errors import FormatError, InvalidRequestError, UnsupportedError
from core.io.json_object import JsonObject
from core.types.data_types import DataField, DataType, RowType
from core.types.json import field_to_json, fields_from_json

SCHEMA_VERSION = 3  # what we write
_FIRST_VERSION = 1  # files of 0.7 and older may lack the member


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSchema:
    """Columns, keys and options of a table since one moment."""

    version: int = SCHEMA_VERSION
    id: int
    fields: tuple[DataField, ...]
    highest_field_id: int  # ever given out, nested ids included
    partition_keys: tuple[str, ...] = ()
    primary_keys: tuple[str, ...] = ()
    options: Mapping[str, str] = field(default_factory=dict)
    comment: str | None = None
    time_millis: int = 0  # epoch milliseconds, UTC; 0 = unknown

    @property
    def row_type(self) -> RowType:
        """All columns as one NOT NULL row."""
        return RowType(fields=self.fields, nullable=False)

    @property
    def field_names(self) -> tuple[str, ...]:
        return tuple(f.name for f in self.fields)

    def field(self, name: str) -> DataField:
        """The column of that name; `InvalidRequestError` if there is none."""
        for candidate in self.fields:
            if candidate.name == name:
                return candidate
        raise InvalidRequestError("no such column", column=name, columns=", ".join(self.field_names))

    def fields_of(self, names: Sequence[str]) -> tuple[DataField, ...]:
        """Columns by name, in that order. Raises `InvalidRequestError`: no such column, or no list."""
        return tuple(self.field(name) for name in column_names(names))

    @property
    def trimmed_primary_keys(self) -> tuple[str, ...]:
        """The primary key without the partition keys: what sorts and identifies rows in a bucket."""
        return tuple(name for name in self.primary_keys if name not in self.partition_keys)

    def key_fields(self) -> tuple[DataField, ...]:
        """Columns of the trimmed primary key, in its order."""
        return self.fields_of(self.trimmed_primary_keys)

    @property
    def partition_fields(self) -> tuple[DataField, ...]:
        return self.fields_of(self.partition_keys)

    @property
    def partition_types(self) -> tuple[DataType, ...]:
        return tuple(f.type for f in self.partition_fields)

    @property
    def bucket_keys(self) -> tuple[str, ...]:
        """What a row's bucket is computed from; empty where buckets do not depend on columns."""
        given = self.options.get("bucket-key", "").strip()
        if given:
            return tuple(name.strip() for name in given.split(","))
        return self.trimmed_primary_keys

    @property
    def is_cross_partition(self) -> bool:
        """Whether a key may move between partitions: it does not contain all partition keys."""
        return bool(self.primary_keys) and not set(self.partition_keys) <= set(self.primary_keys)


def decode_schema(data: bytes) -> TableSchema:
    """The schema of a schema file.

    Raises:
        FormatError: no schema. UnsupportedError: a newer layout, or a type we do not know.
    """
    value = JsonObject.parse(data)
    version = value.integer_or_none("version")
    version = _FIRST_VERSION if version is None else version
    if not _FIRST_VERSION <= version <= SCHEMA_VERSION:
        raise UnsupportedError("schema of an unknown layout", feature=f"schema version {version}")
    fields = fields_from_json(value.array("fields"))
    schema = TableSchema(
        version=version,
        id=value.integer("id"),
        fields=fields,
        highest_field_id=value.integer("highestFieldId"),
        partition_keys=value.texts("partitionKeys"),
        primary_keys=value.texts("primaryKeys"),
        options=_options_of(version, value.text_map("options")),
        comment=value.text_or_none("comment"),
        time_millis=value.integer_or_none("timeMillis") or 0,
    )
    _check_names(schema)
    return schema


def encode_schema(schema: TableSchema) -> bytes:
    """The content of a schema file, keys in the order Paimon writes them."""
    value: dict[str, object] = {
        "version": schema.version,
        "id": schema.id,
        "fields": [field_to_json(f) for f in schema.fields],
        "highestFieldId": schema.highest_field_id,
        "partitionKeys": list(schema.partition_keys),
        "primaryKeys": list(schema.primary_keys),
        "options": dict(schema.options),
    }
    if schema.comment is not None:  # Java 0.9 reads a null as the text "null"
        value["comment"] = schema.comment
    value["timeMillis"] = schema.time_millis
    return json.dumps(value, ensure_ascii=False, indent=2).encode()


def _options_of(version: int, options: dict[str, str]) -> dict[str, str]:
    """Options with the defaults that were in force when an old file was written."""
    if version == _FIRST_VERSION:
        options.setdefault("bucket", "1")
    if version <= 2:
        options.setdefault("file.format", "orc")
    return options


def _check_names(schema: TableSchema) -> None:
    names = schema.field_names
    if len(set(names)) != len(names):
        raise FormatError("two columns have the same name", columns=", ".join(names))
    for key in (*schema.partition_keys, *schema.primary_keys):
        if key not in names:
            raise FormatError("a key column does not exist", column=key, columns=", ".join(names))
