"""Minimum, maximum and null count of columns, as manifests store them. Spec: 03, 5."""

from __future__ import annotations

from dataclasses import dataclass

from core.binary.row import EMPTY_ROW, BinaryRow


@dataclass(frozen=True, slots=True)
class SimpleStats:
    """Three members of one arity and order; a null minimum, maximum or count is unknown."""

    min_values: BinaryRow
    max_values: BinaryRow
    null_counts: tuple[int | None, ...]


EMPTY_STATS = SimpleStats(EMPTY_ROW, EMPTY_ROW, ())
