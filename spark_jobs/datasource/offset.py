"""How far a stream has come, as it stands in Spark's checkpoint.

Spark keeps the end of a batch before it runs it, but not where the first one starts: it asks for that when it
looks for the end, asks again when it runs the batch, and again whenever that is repeated, and the table may
have grown in between. So the end of the first batch says where it began, and nothing else is believed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from core.errors import FormatError
from core.scan.selection import ALL_FILES, FileSelection
from core.stream import StreamStart

_NEXT, _FULL, _BEGAN, _AFTER = "next_snapshot", "full_snapshot", "began", "after"
_SELECTED = {field.name: field for field in fields(FileSelection)}


@dataclass(frozen=True, slots=True)
class Offset:
    """What is still to be read: a state, if the stream starts with one, then changes from a snapshot on."""

    next_snapshot: int  # 0: the table had nothing to start with
    full_snapshot: int | None = None  # whose state is still to be read
    selection: FileSelection = ALL_FILES  # of its files
    began: Offset | None = None  # of the end of a first batch: its start
    after: str | None = None  # identity of the snapshot before the next one: ids come again after a rollback

    @classmethod
    def of(cls, start: StreamStart | None) -> Offset:
        if start is None:
            return NOT_STARTED
        full = None if start.full is None else start.full.id
        return cls(start.next_snapshot, full, start.selection)

    @property
    def is_started(self) -> bool:
        return self.next_snapshot > 0

    def is_where(self, other: Offset) -> bool:
        """Whether the same is still to be read, wherever the batches before began."""
        return replace(self, began=None) == replace(other, began=None)

    def to_json(self) -> dict[str, Any]:
        """Numbers, flags and the start by name, as Spark takes them; what is not set is left out."""
        value: dict[str, Any] = {_NEXT: self.next_snapshot}
        if self.full_snapshot is not None:
            value[_FULL] = self.full_snapshot
            chosen = {name: getattr(self.selection, name) for name in _SELECTED}
            value |= {name: v for name, v in chosen.items() if isinstance(v, int) and v is not False}
        if self.began is not None:
            value[_BEGAN] = self.began.to_json()
        return value if self.after is None else {**value, _AFTER: self.after}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Offset:
        """The offset of what `to_json` gave.

        Raises:
            FormatError: the checkpoint is of another source, or damaged.
        """
        rest = dict(value)
        following, full, began = rest.pop(_NEXT, None), rest.pop(_FULL, None), rest.pop(_BEGAN, None)
        identity = rest.pop(_AFTER, None)
        numbers = [following, *([] if full is None else [full]), *rest.values()]
        is_known = rest.keys() <= _SELECTED.keys() and isinstance(began, Mapping | None)
        is_known = is_known and isinstance(identity, str | None)
        if not all(isinstance(n, int) for n in numbers) or not is_known:
            raise FormatError("not an offset of this source", found=dict(value), expected=f"{_NEXT}: number")
        start = None if began is None else cls.from_json(began)
        return cls(following, full, FileSelection(**rest), start, identity)


NOT_STARTED = Offset(0)
