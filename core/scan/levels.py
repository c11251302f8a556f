"""What a table's options say about its levels. Spec: 05, 2.3; 06, 5; 09, 8."""

from __future__ import annotations

from core.compact.plan import num_levels
from core.options import (
    DELETION_VECTORS_ENABLED,
    DELETION_VECTORS_MERGE_ON_READ,
    MERGE_ENGINE,
    MergeEngine,
    TableOptions,
)
from core.schema import TableSchema


def keys_unique_above_level_zero(schema: TableSchema) -> bool:
    """Whether a key is in one file above level 0 at most, as compaction takes care of the others.

    It marks older versions as deleted, or drops newer ones (first-row).
    """
    return bool(schema.primary_keys) and (_has_vectors(schema) or _is_first_row(schema))


def skips_level_zero(schema: TableSchema) -> bool:
    """Whether batch reads see rows only once they have been compacted."""
    if not schema.primary_keys:
        return False
    merges = TableOptions(schema.options).get(DELETION_VECTORS_MERGE_ON_READ)
    return _is_first_row(schema) or (_has_vectors(schema) and not merges)


def versions_combine(schema: TableSchema) -> bool:
    """Whether a row that is read can take its values from several versions of its key."""
    engine = TableOptions(schema.options).get(MERGE_ENGINE)
    return engine in (MergeEngine.PARTIAL_UPDATE, MergeEngine.AGGREGATION)


def top_level(schema: TableSchema) -> int:
    """The level that a full compaction writes to, where no key is twice."""
    return num_levels(TableOptions(schema.options)) - 1


def _has_vectors(schema: TableSchema) -> bool:
    return TableOptions(schema.options).get(DELETION_VECTORS_ENABLED)


def _is_first_row(schema: TableSchema) -> bool:
    return TableOptions(schema.options).get(MERGE_ENGINE) is MergeEngine.FIRST_ROW
