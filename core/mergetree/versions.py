"""All versions of the keys of a window, in the order in which they are merged. Spec: 06, 1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core.mergetree.aggregate.turns import Turns
from core.mergetree.key_order import sort_keys
from core.mergetree.keys import KeyArray
from core.types.row_kind import RowKind

Positions = npt.NDArray[np.intp]
Flags = npt.NDArray[np.bool_]


def is_retract(kinds: npt.NDArray[np.int8]) -> Flags:
    """Whether each kind is -U or -D."""
    retract: Flags = (kinds == RowKind.UPDATE_BEFORE) | (kinds == RowKind.DELETE)
    return retract


@dataclass(frozen=True, slots=True)
class Versions:
    """Rows key by key, keys in order, each key's rows from oldest to newest."""

    rows: Positions  # positions in the window
    starts: Positions  # where each key's rows begin among `rows`
    kinds: npt.NDArray[np.int8]  # `_VALUE_KIND` of `rows`

    @staticmethod
    def of(
        keys: KeyArray,
        sequence: Sequence[npt.NDArray[np.int64]] = (),
        kinds: npt.NDArray[np.int8] | None = None,
    ) -> Versions:
        """The versions of a window.

        Args:
            keys: one comparable value a row; later rows are newer, unless `sequence` says otherwise.
            sequence: what orders the versions of a key, most significant first.
            kinds: of the rows, inserts if not given; among equal sequences a retract is older.
        """
        of_row = np.zeros(len(keys), dtype=np.int8) if kinds is None else kinds
        found = sort_keys(keys)
        rows, ordered = found.positions, found.keys
        changes = np.ones(len(rows), dtype=np.bool_)
        changes[1:] = ordered[1:] != ordered[:-1]
        starts: Positions = np.flatnonzero(changes)
        if sequence and len(starts) < len(rows):
            tiebreak = [] if kinds is None else [~is_retract(of_row[rows])]
            rows = rows[np.lexsort((*tiebreak, *(s[rows] for s in reversed(sequence)), np.cumsum(changes)))]
        return Versions(rows, starts, of_row[rows])

    @property
    def sizes(self) -> Positions:
        """How many versions each key has."""
        return np.diff(self.starts, append=len(self.rows))

    @property
    def group(self) -> Positions:
        """The number of each row's key, counted from 0."""
        return np.repeat(np.arange(len(self.starts)), self.sizes)

    @property
    def age(self) -> Positions:
        """The number of each row among the versions of its key, 0 for the oldest."""
        return np.arange(len(self.rows)) - np.repeat(self.starts, self.sizes)

    @property
    def retracts(self) -> Flags:
        return is_retract(self.kinds)

    @property
    def deletes(self) -> Flags:
        deletes: Flags = self.kinds == RowKind.DELETE
        return deletes

    def turns(self) -> Turns:
        """The rows side by side, the n-th of each key at once."""
        return Turns.of(self.rows, self.starts, self.sizes)

    def merged(self) -> Versions:
        """Those of keys with more than one version: a lone one passes through as it is."""
        sizes = self.sizes
        chosen = np.repeat(sizes > 1, sizes)
        several = sizes[sizes > 1]
        return Versions(self.rows[chosen], np.cumsum(several) - several, self.kinds[chosen])
