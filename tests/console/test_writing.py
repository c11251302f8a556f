"""What is written quickly is what the framework writes."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from rest_framework import serializers

from console.api.errors import Problem
from console.api.fields import EXACT, CountField, LongField, TimeField, choice, string_map, strings
from console.api.writing import RowSerializer


class Part(RowSerializer):
    name = serializers.CharField()
    size = CountField(allow_null=True)


class Row(RowSerializer):
    word = choice("a", "b", allow_null=True)
    text = serializers.CharField(source="said")
    number = serializers.IntegerField()
    share = serializers.FloatField()
    flag = serializers.BooleanField()
    long = LongField()
    at = TimeField(allow_null=True)
    names = strings(allow_null=True)
    options = string_map()
    parts = Part(many=True)
    part = Part(allow_null=True)
    left_out = serializers.CharField(required=False)
    usual = serializers.CharField(default="as usual")


ROW: dict[str, Any] = {
    "word": "b", "said": 7, "number": True, "share": 1, "flag": 1, "long": 2**62, "names": ["x", 3, None],
    "at": datetime(2026, 11, 22, 10, tzinfo=UTC), "options": {"k": 1, "n": None}, "part": None,
    "parts": [{"name": "p", "size": 4}, {"name": 5, "size": None}],
}  # fmt: skip


def plainly(row: Any) -> Any:
    """As the framework itself writes it."""
    return serializers.Serializer.to_representation(Row(), row)


@pytest.mark.parametrize(
    "more", [{}, {"left_out": "x", "usual": "y"}, {"names": None, "at": 0, "word": None}]
)
def test_rows_are_written_as_the_framework_writes_them(more: dict[str, Any]) -> None:
    row = ROW | more
    assert Row(row).data == plainly(row)
    assert Row([row, row], many=True).data == [plainly(row)] * 2


def test_objects_are_written_as_their_fields_ask_for_them() -> None:
    class Thing:
        name, size = "n", 2

    assert Part(Thing()).data == {"name": "n", "size": 2}


def test_no_count_is_rounded() -> None:
    with pytest.raises(Problem):
        _ = Part({"name": "n", "size": EXACT}).data
