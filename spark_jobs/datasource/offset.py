"""How far a stream has come, as it stands in Spark's checkpoint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from core.errors import FormatError
from core.scan.selection import ALL_FILES, FileSelection
from core.stream import StreamStart

_NEXT, _FULL = "next_snapshot", "full_snapshot"
_SELECTED = {field.name: field for field in fields(FileSelection)}


@dataclass(frozen=True, slots=True)
class Offset:
    """What is still to be read: a state, if the stream starts with one, then changes from a snapshot on."""

    next_snapshot: int  # 0: the table had nothing to start with
    full_snapshot: int | None = None  # whose state is still to be read
    selection: FileSelection = ALL_FILES  # of its files

    @classmethod
    def of(cls, start: StreamStart | None) -> Offset:
        if start is None:
            return NOT_STARTED
        full = None if start.full is None else start.full.id
        return cls(start.next_snapshot, full, start.selection)

    @property
    def is_started(self) -> bool:
        return self.next_snapshot > 0

    def to_json(self) -> dict[str, int | bool]:
        """Numbers and flags by name, as Spark takes them; what is not set is left out."""
        value: dict[str, int | bool] = {_NEXT: self.next_snapshot}
        if self.full_snapshot is not None:
            value[_FULL] = self.full_snapshot
            chosen = {name: getattr(self.selection, name) for name in _SELECTED}
            value |= {name: v for name, v in chosen.items() if isinstance(v, int) and v is not False}
        return value

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Offset:
        """The offset of what `to_json` gave.

        Raises:
            FormatError: the checkpoint is of another source, or damaged.
        """
        rest = dict(value)
        after, full = rest.pop(_NEXT, None), rest.pop(_FULL, None)
        numbers = [after, *([] if full is None else [full]), *rest.values()]
        if not all(isinstance(n, int) for n in numbers) or not rest.keys() <= _SELECTED.keys():
            raise FormatError("not an offset of this source", found=dict(value), expected=f"{_NEXT}: number")
        return cls(after, full, FileSelection(**rest))


NOT_STARTED = Offset(0)
