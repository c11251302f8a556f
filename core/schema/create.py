"""The first schema of a table, and the ids of its fields. Spec: 01, 6."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from core.arguments import check_argument, column_names, is_a, is_list, is_texts
from core.errors import InvalidRequestError
from core.schema.table_schema import TableSchema
from core.types.data_types import ArrayType, DataField, DataType, MapType, MultisetType, RowType


def initial_schema(
    fields: Sequence[DataField],
    *,
    partition_keys: Sequence[str] = (),
    primary_keys: Sequence[str] = (),
    options: Mapping[str, str] | None = None,
    comment: str | None = None,
    time_millis: int,
) -> TableSchema:
    """Schema 0, with ids given afresh depth first and primary-key columns NOT NULL.

    Keys may also come as options `primary-key` and `partition`, which then move out of the options.

    Raises:
        InvalidRequestError: keys are given twice, or something is of another type.
    """
    check_argument(is_list(fields, DataField), "columns are an Arrow schema or a list of DataField", fields)
    check_argument(options is None or is_texts(options), "options and their values are texts", options)
    check_argument(is_a(comment, str | None), "a comment is a text", comment)
    remaining = dict(options or {})
    primary = _keys("primary-key", primary_keys, remaining)
    partition = _keys("partition", partition_keys, remaining)
    ids = FieldIds(-1)
    numbered = tuple(_not_null(f) if f.name in primary else f for f in map(ids.renumbered, fields))
    return TableSchema(
        id=0,
        fields=numbered,
        highest_field_id=ids.highest,
        partition_keys=partition,
        primary_keys=primary,
        options=remaining,
        comment=comment,
        time_millis=time_millis,
    )


def replacement(latest: TableSchema, new: TableSchema) -> TableSchema:
    """A schema that has nothing of the one before, as the next after it.

    Its fields get ids that none had before, so that no column of an older file is taken for one of theirs.
    """
    ids = FieldIds(latest.highest_field_id)
    fields = tuple(map(ids.renumbered, new.fields))
    return replace(new, id=latest.id + 1, fields=fields, highest_field_id=ids.highest)


class FieldIds:
    """Gives out field ids: each is used once, a field's own before those of its members."""

    def __init__(self, highest: int) -> None:
        self.highest = highest

    def renumbered(self, field: DataField) -> DataField:
        """The field with new ids for itself and all fields inside its type."""
        self.highest += 1
        own = self.highest
        return replace(field, id=own, type=self.renumbered_type(field.type))

    def renumbered_type(self, data_type: DataType) -> DataType:
        match data_type:
            case RowType():
                return replace(data_type, fields=tuple(map(self.renumbered, data_type.fields)))
            case ArrayType() | MultisetType():
                return replace(data_type, element=self.renumbered_type(data_type.element))
            case MapType():
                key = self.renumbered_type(data_type.key)
                return replace(data_type, key=key, value=self.renumbered_type(data_type.value))
            case _:
                return data_type


def _keys(option: str, given: Sequence[str], options: dict[str, str]) -> tuple[str, ...]:
    text = options.pop(option, None)
    if text is None:
        return tuple(column_names(given))
    if given:
        raise InvalidRequestError("keys are given twice", option=option, value=text, keys=", ".join(given))
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _not_null(field: DataField) -> DataField:
    return replace(field, type=field.type.with_nullability(False))
