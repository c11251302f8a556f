"""KeyValue: one stored version of a key, as the clear forms of the merge engines take it. Spec: 06, 1."""

from __future__ import annotations

from dataclasses import dataclass

from core.types.row_kind import RowKind


@dataclass(frozen=True, slots=True)
class KeyValue:
    key: tuple[object, ...]  # trimmed primary key
    sequence_number: int
    kind: RowKind
    value: tuple[object, ...]
