"""Names and keys of columns."""

from __future__ import annotations

from collections.abc import Iterator

from core.errors import InvalidRequestError
from core.options import TableOptions
from core.schema.table_schema import TableSchema
from core.types import BlobType, GeographyType, GeometryType, VariantType, type_to_text
from core.types.data_types import DataField

_SYSTEM_NAMES = frozenset({"_SEQUENCE_NUMBER", "_VALUE_KIND", "_LEVEL", "rowkind", "_ROW_ID"})
_KEY_PREFIX = "_KEY_"


def column_names(schema: TableSchema, options: TableOptions) -> Iterator[InvalidRequestError]:
    names = schema.field_names
    if not names:
        yield InvalidRequestError("a table needs a column")
    for name in names:
        if not name:
            yield InvalidRequestError("a column needs a name")
        if names.count(name) > 1:
            yield InvalidRequestError("two columns have the same name", column=name)
        if name in _SYSTEM_NAMES or name.startswith(_KEY_PREFIX):
            yield InvalidRequestError("the name is reserved for columns of the format", column=name)


def keys(schema: TableSchema, options: TableOptions) -> Iterator[InvalidRequestError]:
    for kind, keys in (("partition", schema.partition_keys), ("primary", schema.primary_keys)):
        for name in keys:
            if keys.count(name) > 1:
                yield InvalidRequestError(f"a column is named twice in the {kind} key", column=name)
            if cannot_be_key(schema.field(name)):
                data_type = type_to_text(schema.field(name).type)
                yield InvalidRequestError(f"no type for a {kind} key", column=name, type=data_type)
    if schema.primary_keys and not schema.trimmed_primary_keys:
        yield InvalidRequestError(
            "the primary key needs a column beyond the partition keys",
            primary_key=", ".join(schema.primary_keys),
        )


def options_of_columns(schema: TableSchema, options: TableOptions) -> Iterator[InvalidRequestError]:
    for key in schema.options:
        if not key.startswith("fields.") or key.count(".") < 2 or key == "fields.default-aggregate-function":
            continue
        for name in key.split(".")[1].split(","):
            if name not in schema.field_names:
                yield InvalidRequestError("an option names no column", option=key, column=name)


def cannot_be_key(field: DataField) -> bool:
    """Whether values of the column cannot be compared, hashed or made a folder of."""
    opaque = (VariantType, BlobType, GeometryType, GeographyType)
    return field.type.is_nested or isinstance(field.type, opaque)
