"""Serializers that write long lists quickly: what a field does with a value is looked up once a class.

The framework copies every field for each serializer and asks each of them about each row, which for a page
of a table was most of the processor time of its answer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from rest_framework import serializers
from rest_framework.fields import SkipField

from console.api.fields import EXACT, CountField

Write = Callable[[Any], Any]


class RowSerializer(serializers.Serializer[Any]):
    """Writes what `Serializer` writes. Rows that are dicts, the rule here, are written without asking fields.

    Its fields must not depend on the instance of the serializer.
    """

    _writer: ClassVar[_Writer]

    def to_representation(self, instance: Any) -> Any:
        return _writer_of(type(self)).write(instance)


def _writer_of(kind: type[RowSerializer]) -> _Writer:
    found: _Writer | None = kind.__dict__.get("_writer")
    if found is None:
        found = kind._writer = _Writer(kind())
    return found


class _Writer:
    def __init__(self, template: RowSerializer) -> None:
        self._fields = list(template._readable_fields)
        self._members = [
            (str(field.field_name), field.source_attrs[0], _write_of(field))
            for field in self._fields
            if len(field.source_attrs) == 1
        ]
        self._is_plain = len(self._members) == len(self._fields)

    def write(self, instance: Any) -> dict[str, Any]:
        if self._is_plain and isinstance(instance, dict):
            try:
                return {
                    name: None if (value := instance[key]) is None else write(value)
                    for name, key, write in self._members
                }
            except KeyError:
                pass  # the field says what is written then
        return self._asked(instance)

    def _asked(self, instance: Any) -> dict[str, Any]:
        """What the fields themselves make of the instance."""
        written = {}
        for field in self._fields:
            try:
                value = field.get_attribute(instance)
            except SkipField:
                continue
            written[str(field.field_name)] = None if value is None else field.to_representation(value)
        return written


def _write_of(field: Any) -> Write:
    """What the field's `to_representation` gives, without a call of it for a value that stays as it is."""
    if type(field) is serializers.ListField:
        return _each(_write_of(field.child))
    if isinstance(field, serializers.ListSerializer) and isinstance(field.child, RowSerializer):
        member = _writer_of(type(field.child)).write
        return lambda rows: [member(row) for row in rows]
    kept = _UNCHANGED.get(type(field))
    return field.to_representation if kept is None else _unless(kept, field.to_representation)


_UNCHANGED: dict[type, Callable[[Any], bool]] = {
    serializers.CharField: lambda value: type(value) is str,
    serializers.ChoiceField: lambda value: type(value) is str,
    serializers.IntegerField: lambda value: type(value) is int,
    serializers.FloatField: lambda value: type(value) is float,
    serializers.BooleanField: lambda value: type(value) is bool,
    CountField: lambda value: type(value) is int and -EXACT < value < EXACT,
}


def _unless(unchanged: Callable[[Any], bool], write: Write) -> Write:
    return lambda value: value if unchanged(value) else write(value)


def _each(write: Write) -> Write:
    return lambda values: [None if value is None else write(value) for value in values]
