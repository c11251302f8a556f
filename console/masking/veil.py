"""The last look at an answer: paths, labels and conditions that name a masked column tell no value of it.

Lists show stand-ins from the start (`Sight.partition_text`). What is left are texts that hold values among
other things: a path `dt=2026-11-20/bucket-0/...`, a label in a plan, a condition in a job's parameters, the
sentence of an error. Pure: JSON in, JSON out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import quote, unquote

from console.masking.policies import DOTS
from console.masking.sight import Sight

# Members of plans and specs below which a member's name is a partition key, and its value a partition's.
_SPECS = frozenset({"partition", "partitions", "only", "spec", "specs", "key"})
# Members of what went wrong that quote what was read.
_QUOTES = frozenset({"value", "values", "literal", "row", "key", "found", "partition", "cause"})
_STAND_IN = re.compile(rf"{DOTS}[0-9a-f]{{12}}")
_EDGE = r"(?<![A-Za-z0-9_])"  # before a name; Chinese has no blank there
_MOST_DEPTH = 50


@dataclass(frozen=True)
class Veil:
    """Takes out of answers about one table what its reader is not told."""

    sight: Sight

    @property
    def is_needed(self) -> bool:
        return bool(self.sight.columns) or self.sight.is_closed

    def clean(self, data: Any) -> Any:
        """The same JSON without values of masked columns."""
        return self._cleaned(data, False) if self.is_needed else data

    def clean_problem(self, document: Any) -> Any:
        """A problem document: also without what its fields quote of what was read."""
        if self.sight.tells_everything or not isinstance(document, Mapping):
            return self.clean(document)
        if document.get("code") not in ("object-damaged", "internal-error", "unsupported-format-version"):
            return self.clean(document)  # others quote what was asked
        fields = document.get("fields") or {}
        quoted = [str(fields[name]) for name in fields if name in _QUOTES]
        return self.clean(_without(document, quoted) if quoted else document)

    def _cleaned(self, data: Any, in_spec: bool) -> Any:
        if isinstance(data, str):
            return self.text(data)
        if isinstance(data, Mapping):
            return {
                name: self._value(str(name), value)
                if in_spec and self._is_masked(name) and not isinstance(value, Mapping)
                else self._cleaned(value, in_spec or name in _SPECS)
                for name, value in data.items()
            }
        if isinstance(data, Sequence) and not isinstance(data, bytes):
            return [self._cleaned(value, in_spec) for value in data]
        return data

    def _is_masked(self, name: object) -> bool:
        return isinstance(name, str) and self.sight.masks_column(name)

    def _value(self, column: str, value: Any) -> Any:
        if value is None or isinstance(value, (list, tuple)):
            return None if value is None else [self._value(column, one) for one in value]
        return self._stand_in(column, str(value))

    def _stand_in(self, column: str, text: str) -> str:
        return text if _STAND_IN.fullmatch(text) else self.sight.partition_text(column, text)

    def text(self, text: str) -> str:
        """The text without values after names of masked columns."""
        if not self.is_needed or not self._mentions.search(text):
            return text
        return self._placed.sub(self._replaced, self._told.sub(DOTS, text))

    def _replaced(self, found: re.Match[str]) -> str:
        value = found["path"] if found["path"] is not None else found["label"]
        if not value or _STAND_IN.match(value):
            return found[0]
        name = found["name"]
        return f"{name}={self._stand_in(unquote(name), unquote(value))}"

    @cached_property
    def _names(self) -> str:
        """What stands for any masked column in a text."""
        if self.sight.is_closed:
            return r"\w+"
        spelled = {form for name in self.sight.columns for form in (name, quote(name, safe=""))}
        return "|".join(re.escape(name) for name in sorted(spelled, key=len, reverse=True))

    @cached_property
    def _mentions(self) -> re.Pattern[str]:
        return re.compile(self._names, re.IGNORECASE)

    @cached_property
    def _placed(self) -> re.Pattern[str]:
        """`dt=value`: in a path up to the next slash, in a label up to the next comma."""
        name = rf"(?P<name>{_EDGE}(?:{self._names}))(?:=|%3D)"
        return re.compile(rf"{name}(?:(?P<label>[^/,]*)(?=,[^/=]+=)|(?P<path>[^/]*))", re.IGNORECASE)

    @cached_property
    def _told(self) -> re.Pattern[str]:
        """The rest of a text from where a condition or a member tells of the column."""
        sign = r"(?:\s+=|==|=\s+|=['\"]|<>|!=|<=|>=|<|>|[:：]|\s+:|\s+(?:NOT\s+)?(?:IN|LIKE|BETWEEN|IS)\b)"
        return re.compile(rf"{_EDGE}(?:{self._names})[`\"'”」]?\s*{sign}.*", re.IGNORECASE | re.DOTALL)


def _without(data: Any, quoted: Sequence[str], depth: int = 0) -> Any:
    """The same JSON where none of its texts holds what is quoted."""
    if depth > _MOST_DEPTH:
        return DOTS
    if isinstance(data, str):
        for text in sorted((text for text in quoted if text), key=len, reverse=True):
            data = data.replace(text, DOTS)
        return data
    if isinstance(data, Mapping):
        return {name: _without(value, quoted, depth + 1) for name, value in data.items()}
    if isinstance(data, list):
        return [_without(value, quoted, depth + 1) for value in data]
    return data
