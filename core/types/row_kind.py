"""The kind of a row in a change stream, and its code in `_VALUE_KIND`."""

from __future__ import annotations

from enum import IntEnum


class RowKind(IntEnum):
    """What a stored row does to its key. Spec: 04 A1, 06."""

    INSERT = 0
    UPDATE_BEFORE = 1
    UPDATE_AFTER = 2
    DELETE = 3

    @property
    def short(self) -> str:
        """`+I`, `-U`, `+U` or `-D`, as system tables print it."""
        return ("+I", "-U", "+U", "-D")[self]

    @property
    def is_retract(self) -> bool:
        return self in (RowKind.UPDATE_BEFORE, RowKind.DELETE)
