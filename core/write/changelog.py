"""The changelog of a merge: what each key was, and what it has become. Spec: 06, 9."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from core.datafile.system_fields import VALUE_KIND
from core.mergetree.keys import KeyArray
from core.mergetree.versions import is_retract
from core.read.equality import equal_rows
from core.types.row_kind import RowKind

_GONE, _NEW = RowKind.DELETE, RowKind.INSERT
_OLD, _CHANGED = RowKind.UPDATE_BEFORE, RowKind.UPDATE_AFTER


def changelog_rows(
    before: tuple[pa.RecordBatch, KeyArray],
    after: tuple[pa.RecordBatch, KeyArray],
    compared: Sequence[str] | None = None,
) -> pa.RecordBatch:
    """The changes by key: -D of rows that went, +I of new ones, -U and +U of those that changed.

    Args:
        before, after: rows of one schema and their keys, ascending, each key once; rows that are deletes
            count as none.
        compared: the columns without a difference in which nothing has changed; None if that is not asked.
    """
    (old, old_keys), (new, new_keys) = _adds(*before), _adds(*after)
    keys = np.union1d(old_keys, new_keys)
    # Two places a key: the row that was, and the row that is.
    places = np.full((len(keys), 2), -1, dtype=np.int64)
    places[np.searchsorted(keys, old_keys), 0] = np.arange(old.num_rows)
    places[np.searchsorted(keys, new_keys), 1] = np.arange(new.num_rows)
    both = (places[:, 0] >= 0) & (places[:, 1] >= 0)
    if compared is not None:
        pairs = np.flatnonzero(both)
        was, is_now = old.select(list(compared)), new.select(list(compared))
        same = equal_rows(was.take(pa.array(places[pairs, 0])), is_now.take(pa.array(places[pairs, 1])))
        places[pairs[same]] = -1
    kinds = np.where(both[:, None], [_OLD, _CHANGED], [_GONE, _NEW]).astype(np.int8)
    places[:, 1] += np.where(places[:, 1] >= 0, old.num_rows, 0)
    told = places.reshape(-1) >= 0
    return _taken(old, new, places.reshape(-1)[told], kinds.reshape(-1)[told])


def _adds(rows: pa.RecordBatch, keys: KeyArray) -> tuple[pa.RecordBatch, KeyArray]:
    retracts = is_retract(rows.column(VALUE_KIND.name).to_numpy())
    if not retracts.any():
        return rows, keys
    return rows.filter(pa.array(~retracts)), keys[~retracts]


def _taken(old: pa.RecordBatch, new: pa.RecordBatch, places: np.ndarray, kinds: np.ndarray) -> pa.RecordBatch:
    """Rows of both, by their places in one behind the other, as rows of other kinds."""
    rows = pa.Table.from_batches([old, new]).take(pa.array(places)).combine_chunks()
    at = rows.schema.get_field_index(VALUE_KIND.name)
    rows = rows.set_column(at, rows.schema.field(at), pa.array(kinds))
    columns = [column.combine_chunks() for column in rows.columns]
    return pa.RecordBatch.from_arrays(columns, schema=old.schema)
