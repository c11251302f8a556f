"""Values of rows as those see them who are not told them. Pure, and known to the process of previews alone.

A mask names columns by every name that they ever had; the members of rows inside a column are reached through
arrays and maps. What a filter asks of a masked column would be told by which rows are left, so it is refused.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.errors import InvalidRequestError
from core.predicate import predicate_of, references
from core.types import ArrayType, DataField, DataType, MapType, MultisetType, RowType, VectorType

DOTS = "•••"
_HASH_DIGITS = 16


@dataclass(frozen=True, slots=True)
class ValueMask:
    """How values at some paths are told."""

    paths: tuple[tuple[str, ...], ...]
    kind: str
    keep: int
    key: bytes

    def told(self, value: Any) -> Any:
        """The value, a JSON one, as it is told."""
        if self.kind == "hash" and value is not None:
            text = json.dumps(value, sort_keys=True, ensure_ascii=False)
            return DOTS + hmac.new(self.key, text.encode(), hashlib.sha256).hexdigest()[:_HASH_DIGITS]
        if self.kind == "partial" and value is not None:
            return _end(value, self.keep)
        return None if value is None and self.kind != "hide" else DOTS


def _end(value: Any, keep: int) -> str:
    """The last characters; nothing of a value that would be told whole, or has no characters."""
    if isinstance(value, (bool, dict, list)):
        return DOTS
    text = str(value)
    return DOTS + text[-keep:] if 0 < keep < len(text) else DOTS


@dataclass(frozen=True, slots=True)
class Masking:
    """All masks of one request, the strictest first."""

    masks: tuple[ValueMask, ...] = ()

    def rows(self, rows: Iterable[list[Any]], fields: Sequence[DataField]) -> Iterator[list[Any]]:
        """The rows, with values in the order of the fields, as they are told."""
        masked = {i for i, field in enumerate(fields) if self.kind_of(field.name)}
        for row in rows:
            if masked:
                row = [
                    self._told(value, fields[i].type, (fields[i].name.lower(),)) if i in masked else value
                    for i, value in enumerate(row)
                ]
            yield row

    def kind_of(self, column: str) -> str | None:
        """The strictest kind of mask over the column, or over a member of it."""
        name = _plain(column)
        return next((mask.kind for mask in self.masks if any(p[0] == name for p in mask.paths)), None)

    def check_filter(self, text: str | None) -> None:
        """Raises `InvalidRequestError` for a filter that asks for a masked column."""
        asked = predicate_of(text) if text and self.masks else None
        for column in references(asked) if asked is not None else ():
            if self.kind_of(column.partition(".")[0]) or self.kind_of(column):
                raise InvalidRequestError(
                    "the column is masked, and a filter on it would tell its values",
                    column=column,
                    needed="data:unmasked",
                )

    def _told(self, value: Any, data_type: DataType, path: tuple[str, ...]) -> Any:
        mask = self._at(path)
        if mask is not None:
            return mask.told(value)
        if value is None or not self._is_above(path):
            return value
        match data_type:
            case RowType() if isinstance(value, Mapping):
                types = {field.name: field.type for field in data_type.fields}
                return {
                    name: self._told(member, types[name], (*path, name.lower())) if name in types else DOTS
                    for name, member in value.items()
                }
            case ArrayType() | VectorType() | MultisetType() if isinstance(value, list):
                return [self._element(one, data_type, path) for one in value]
            case MapType() if isinstance(value, list):
                return [self._entry(one, data_type, path) for one in value]
        return DOTS  # of a shape that is not known here

    def _element(self, one: Any, data_type: ArrayType | VectorType | MultisetType, path: Any) -> Any:
        if isinstance(data_type, MultisetType):  # pairs of an element and how often it is there
            return [self._told(one[0], data_type.element, path), one[1]]
        return self._told(one, data_type.element, path)

    def _entry(self, one: Any, data_type: MapType, path: tuple[str, ...]) -> Any:
        key, value = one
        return [self._told(key, data_type.key, path), self._told(value, data_type.value, path)]

    def _at(self, path: tuple[str, ...]) -> ValueMask | None:
        wanted = (_plain(path[0]), *path[1:])
        text = ".".join(wanted)
        return next((m for m in self.masks if any(".".join(p) == text for p in m.paths)), None)

    def _is_above(self, path: tuple[str, ...]) -> bool:
        wanted = (_plain(path[0]), *path[1:])
        return any(p[: len(wanted)] == wanted for mask in self.masks for p in mask.paths)


def _plain(column: str) -> str:
    """Without what files put before the names of key columns; letters may be large or small."""
    return column.lower().removeprefix("_key_")


def masking_of(given: Iterable[Mapping[str, Any]]) -> Masking:
    """The masks of a request, as `Sight.for_reader` has them."""
    return Masking(
        tuple(
            ValueMask(
                tuple(tuple(path) for path in mask["paths"]),
                mask["kind"],
                mask["keep"],
                bytes.fromhex(mask["key"]),
            )
            for mask in given
        )
    )
