"""`merge-engine = first-row`: of all versions of a key the oldest stays. Spec: 06, 5.

`FirstRow` is the rule in its clear form; tests hold `first_rows`, the same over columns, against it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.errors import UnsupportedError
from core.mergetree.key_value import KeyValue
from core.mergetree.versions import Positions, Versions


@dataclass(frozen=True, slots=True)
class FirstRow:
    """`versions` run from oldest to newest; a key that only retracts speak of has nothing to show."""

    ignore_delete: bool = False

    def __call__(self, versions: Sequence[KeyValue]) -> KeyValue | None:
        if len(versions) == 1:
            return versions[0]
        if any(v.kind.is_retract for v in versions) and not self.ignore_delete:
            raise _refused()
        return next((v for v in versions if not v.kind.is_retract), None)


def first_rows(versions: Versions, *, ignore_delete: bool = False) -> Positions:
    """Positions of the oldest version of each key, in key order; a lone one is passed on whatever its kind.

    Raises:
        UnsupportedError: one of several versions of a key is a retract, and those are not ignored.
    """
    retracts = versions.retracts
    if not retracts.any():
        return versions.rows[versions.starts]
    alone = np.repeat(versions.sizes == 1, versions.sizes)
    if np.any(retracts & ~alone) and not ignore_delete:
        raise _refused()
    counts = np.flatnonzero(alone | ~retracts)
    _, first = np.unique(versions.group[counts], return_index=True)
    return versions.rows[counts[first]]


def _refused() -> UnsupportedError:
    return UnsupportedError(
        "the first-row engine cannot take a row back; 'ignore-delete' = 'true' leaves such rows out",
        feature="retracting with merge-engine = first-row",
    )
