"""`merge-engine = deduplicate`: of all versions of a key the newest wins. Spec: 06, 1 and 2.

`Deduplicate` is the rule in its clear form, one key at a time; tests hold `newest_rows`,
the same over columns, against it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core.mergetree.key_order import sort_keys
from core.mergetree.key_value import KeyValue
from core.mergetree.keys import KeyArray
from core.mergetree.versions import is_retract

Positions = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Deduplicate:
    """`versions` run from oldest to newest; the newest one that counts is what a reader sees."""

    ignore_delete: bool = False

    def __call__(self, versions: Sequence[KeyValue]) -> KeyValue | None:
        # Writers before 0.8 stored retractions even under ignore-delete.
        return next((v for v in reversed(versions) if self._counts(v)), None)

    def _counts(self, version: KeyValue) -> bool:
        return not (self.ignore_delete and version.kind.is_retract)


def newest_rows(
    keys: KeyArray,
    sequence: Sequence[npt.NDArray[np.int64]] = (),
    kinds: npt.NDArray[np.int8] | None = None,
    *,
    ignore_delete: bool = False,
) -> Positions:
    """Positions of the newest version of each key, in key order.

    Args:
        keys: one comparable value a row; rows that stand later are newer, unless `sequence` says otherwise.
        sequence: what orders the versions of a key, most significant first.
        kinds: `_VALUE_KIND` of the rows; among equal sequences an add is newer than a retract.
        ignore_delete: retracts do not count; a key with nothing else yields nothing.
    """
    found = sort_keys(keys)
    order, ordered = found.positions, found.keys
    if ignore_delete and kinds is not None:
        counts = ~is_retract(kinds[order])
        order, ordered = order[counts], ordered[counts]
    if len(order) == 0:
        return order
    ends = _group_ends(ordered)
    if len(sequence) == 0 or len(ends) == len(order):
        return order[ends]
    return _newest_by_sequence(order, ends, sequence, kinds)


def _group_ends(ordered_keys: KeyArray) -> Positions:
    """Where each group of equal keys ends (its last index)."""
    changes = np.flatnonzero(ordered_keys[1:] != ordered_keys[:-1])
    return np.append(changes, len(ordered_keys) - 1)


def _newest_by_sequence(
    order: Positions,
    ends: Positions,
    sequence: Sequence[npt.NDArray[np.int64]],
    kinds: npt.NDArray[np.int8] | None,
) -> Positions:
    sizes = np.diff(ends, prepend=-1)
    group = np.repeat(np.arange(len(ends)), sizes)
    tiebreak = [] if kinds is None else [~is_retract(kinds[order])]
    # lexsort takes the least significant key first, and is stable: of full ties the later row wins.
    within = np.lexsort((*tiebreak, *(s[order] for s in reversed(sequence)), group))
    return order[within][ends]
