from __future__ import annotations

import pytest

from core.errors import FormatError
from core.io.json_object import JsonObject


@pytest.mark.parametrize("data", [b"", b"{", b"[1]", b"null", b"\xff\xfe", b"[" * 100_000])
def test_what_is_no_object_is_a_format_error(data: bytes) -> None:
    with pytest.raises(FormatError):
        JsonObject.parse(data)


def test_absent_and_null_are_the_same() -> None:
    value = JsonObject.parse(b'{"a": null}')
    assert value.integer_or_none("a") is value.integer_or_none("b") is None
    assert value.text_map("a") == {}
    assert value.texts("b") == ()


@pytest.mark.parametrize("call", ["integer", "text", "array"])
def test_a_missing_member_is_named(call: str) -> None:
    with pytest.raises(FormatError, match="member=a"):
        getattr(JsonObject({}), call)("a")


@pytest.mark.parametrize(
    ("call", "value"),
    [
        ("integer", True),
        ("integer", 1.5),
        ("integer", "1"),
        ("integer", 1 << 63),
        ("integer", -(1 << 63) - 1),
        ("text", 1),
        ("array", {}),
        ("texts", ["a", 1]),
        ("text_map", {"a": 1}),
    ],
)
def test_a_wrong_type_is_shown(call: str, value: object) -> None:
    with pytest.raises(FormatError, match="wrong type"):
        getattr(JsonObject({"a": value}), call)("a")


def test_long_values_are_shown_in_part() -> None:
    with pytest.raises(FormatError) as caught:
        JsonObject({"a": "x" * 1000}).integer("a")
    assert len(str(caught.value)) < 200
