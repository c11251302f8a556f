"""What a caller asks of partitions whose values are masked: stand-ins go in as they came out.

A value guessed in clear is refused: whether a plan then finds something would tell that it is there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any
from urllib.parse import quote, unquote

from console.accounts.roles import Scope
from console.api.errors import Problem
from console.api.permissions import forbidden
from console.masking.sight import Sight

_SPECS = frozenset({"partition", "partitions"})
_CONDITIONS = frozenset({"where", "filter", "predicate", "condition"})
Values = Mapping[tuple[str, str], str]  # a key and what stands in for a value of it: the value


def unveiled(
    params: dict[str, Any], *, sight: Sight, keys: Iterable[str], scope: Scope, known: Callable[[], Values]
) -> dict[str, Any]:
    """The parameters of a plan with values in place of stand-ins.

    Raises:
        Problem: `forbidden`, for a value of a masked column in clear, and for a condition on one.
    """
    masked = {key.lower() for key in keys if sight.masks_column(key)}
    return _Asked(sight, masked, scope, known).members(params)


class _Asked:
    def __init__(self, sight: Sight, masked: set[str], scope: Scope, known: Callable[[], Values]) -> None:
        self._sight, self._masked, self._scope, self._known = sight, masked, scope, known
        self._values: Values | None = None

    def members(self, params: dict[str, Any]) -> dict[str, Any]:
        return {name: self._member(name, value) for name, value in params.items()}

    def _member(self, name: str, value: Any) -> Any:
        if name in _SPECS and value:
            return self._spec(value)
        if name in _CONDITIONS and isinstance(value, str) and self._names_masked(value):
            raise self._refused()
        if isinstance(value, dict):
            return self.members(value)
        return value

    def _names_masked(self, text: str) -> bool:
        """Whether a condition may be about a masked column: its name is in it, quoted or not."""
        plain = text.lower().replace("``", "`")
        return self._sight.is_closed or any(name in plain for name in self._sight.columns)

    def _spec(self, value: Any) -> Any:
        if isinstance(value, str):
            return ",".join(self._pair(pair) for pair in value.split(","))
        if isinstance(value, dict):
            return {key: self._value(key, text) for key, text in value.items()}
        if isinstance(value, list):
            return [self._spec(one) for one in value]
        return value

    def _pair(self, pair: str) -> str:
        key, sign, text = pair.partition("=")
        if not sign or unquote(key).lower() not in self._masked:
            return pair
        return f"{key}={quote(self._value(unquote(key), unquote(text)), safe='')}"

    def _value(self, key: str, text: Any) -> Any:
        if key.lower() not in self._masked:
            return text
        if self._values is None:
            self._values = self._known()
        found = self._values.get((key.lower(), str(text)))
        if found is None:
            raise self._refused()
        return found

    def _refused(self) -> Problem:
        return forbidden(self._sight.needed, self._scope)
