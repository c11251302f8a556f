"""The SQL text of a data type, as schemas store it and DDL writes it. Spec: 01, 7.2."""

from __future__ import annotations

from core.types.data_types import (
    MAX_LENGTH,
    ArrayType,
    BigIntType,
    BinaryType,
    BlobType,
    BooleanType,
    CharType,
    DataField,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    GeographyType,
    GeometryType,
    IntType,
    LocalZonedTimestampType,
    MapType,
    MultisetType,
    RowType,
    SmallIntType,
    TimestampType,
    TimeType,
    TinyIntType,
    VarBinaryType,
    VarCharType,
    VariantType,
    VectorType,
)

PLAIN_NAMES: dict[type[DataType], str] = {
    BooleanType: "BOOLEAN",
    TinyIntType: "TINYINT",
    SmallIntType: "SMALLINT",
    IntType: "INT",
    BigIntType: "BIGINT",
    FloatType: "FLOAT",
    DoubleType: "DOUBLE",
    DateType: "DATE",
    VariantType: "VARIANT",
    BlobType: "BLOB",
}
"""Types whose name is their whole text."""


def type_to_text(data_type: DataType) -> str:
    """`INT NOT NULL`, `DECIMAL(10, 2)`, ``ROW<`a` INT>``: what `parse_type` reads back."""
    return _core_text(data_type) + ("" if data_type.nullable else " NOT NULL")


def _core_text(data_type: DataType) -> str:
    plain = PLAIN_NAMES.get(type(data_type))
    if plain is not None:
        return plain
    match data_type:
        case DecimalType():
            return f"DECIMAL({data_type.precision}, {data_type.scale})"
        case CharType():
            return f"CHAR({data_type.length})"
        case VarCharType():
            return "STRING" if data_type.length == MAX_LENGTH else f"VARCHAR({data_type.length})"
        case BinaryType():
            return f"BINARY({data_type.length})"
        case VarBinaryType():
            return "BYTES" if data_type.length == MAX_LENGTH else f"VARBINARY({data_type.length})"
        case TimeType():
            return f"TIME({data_type.precision})"
        case TimestampType():
            return f"TIMESTAMP({data_type.precision})"
        case LocalZonedTimestampType():
            return f"TIMESTAMP({data_type.precision}) WITH LOCAL TIME ZONE"
        case GeometryType():
            return f"GEOMETRY({_crs_text(data_type.crs)})"
        case GeographyType():
            return f"GEOGRAPHY({_crs_text(data_type.crs)}, {data_type.algorithm})"
        case _:
            return _constructed_text(data_type)


def _constructed_text(data_type: DataType) -> str:
    match data_type:
        case ArrayType():
            return f"ARRAY<{type_to_text(data_type.element)}>"
        case MultisetType():
            return f"MULTISET<{type_to_text(data_type.element)}>"
        case MapType():
            return f"MAP<{type_to_text(data_type.key)}, {type_to_text(data_type.value)}>"
        case VectorType():
            return f"VECTOR<{type_to_text(data_type.element)}, {data_type.length}>"
        case RowType():
            return f"ROW<{', '.join(map(_field_text, data_type.fields))}>"
        case _:
            raise TypeError(f"no SQL text for {data_type!r}")


def _field_text(field: DataField) -> str:
    text = f"{quote_identifier(field.name)} {type_to_text(field.type)}"
    if field.description is not None:
        text += " " + _quote(field.description)
    if field.default_value is not None:
        text += f" DEFAULT {_quote(field.default_value)}"
    return text


def quote_identifier(name: str) -> str:
    """The name in back quotes, inner ones doubled."""
    return "`" + name.replace("`", "``") + "`"


def _quote(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _crs_text(crs: str) -> str:
    bare = crs and not crs[0].isdigit() and not any(c.isspace() or c in "<>(),'\"`" for c in crs)
    return crs if bare else _quote(crs)
