"""Options that name columns, when a column gets another name. Spec: 09, 1."""

from __future__ import annotations

from collections.abc import Mapping

_LISTS = ("bucket-key", "sequence.field")  # options whose value is a list of columns
_OF_COLUMNS = ("aggregate-function", "ignore-retract", "distinct", "list-agg-delimiter")
_KEY_AND_VALUE = ("sequence-group", "nested-key")


def options_renamed(options: Mapping[str, str], old: str, new: str) -> dict[str, str]:
    """The options with column `old` called `new` wherever a key or value names it."""
    return dict(_renamed(key, value, old, new) for key, value in options.items())


def _renamed(key: str, value: str, old: str, new: str) -> tuple[str, str]:
    if key in _LISTS:
        return key, _in_list(value, old, new)
    family, _, rest = key.partition(".")
    columns, _, suffix = rest.rpartition(".")
    if family != "fields" or suffix not in (*_OF_COLUMNS, *_KEY_AND_VALUE):
        return key, value
    value = _in_list(value, old, new) if suffix in _KEY_AND_VALUE else value
    return f"fields.{_in_list(columns, old, new)}.{suffix}", value


def _in_list(text: str, old: str, new: str) -> str:
    names = text.split(",")
    return ",".join(new if name.strip() == old else name for name in names)
