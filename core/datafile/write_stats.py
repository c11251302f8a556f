"""Statistics of a new file: bounds of its columns, cut and left out as the options say. Spec: 03, 5."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from core.binary import encode_row
from core.datafile.column_bounds import ColumnBounds
from core.datafile.file_format import FileFormat
from core.options import STATS_DENSE_STORE, STATS_KEEP_FIRST_N, STATS_MODE, STATS_MODE_PER_LEVEL, TableOptions
from core.schema.table_schema import TableSchema
from core.stats.modes import StatsMode, parse_stats_mode, truncate_max, truncate_min
from core.stats.simple_stats import SimpleStats
from core.types.data_types import BinaryType, DataField, DataType, VarBinaryType, VariantType

_NONE = parse_stats_mode("none")
_KEY_MODE = parse_stats_mode("truncate(128)")  # of system columns, whatever the options say


@dataclass(frozen=True, slots=True)
class StatsRules:
    """What is kept of each column, in the order of the table's columns."""

    modes: tuple[StatsMode, ...]
    dense: bool = True  # leave out columns of mode `none`

    def widened(self, count: int) -> StatsRules:
        """The rules with so many system columns more at the end, always bounded."""
        return replace(self, modes=(*self.modes, *[_KEY_MODE] * count))

    def value_stats(
        self, fields: Sequence[DataField], bounds: Sequence[ColumnBounds], file_format: FileFormat
    ) -> tuple[SimpleStats, tuple[str, ...] | None]:
        """The statistics of the columns, and the columns they are of; None for all."""
        modes = [_as_told(mode, f.type, file_format) for mode, f in zip(self.modes, fields, strict=True)]
        kept = [i for i, mode in enumerate(modes) if mode != _NONE or not self.dense]
        stats = _stats([fields[i] for i in kept], [bounds[i] for i in kept], [modes[i] for i in kept])
        if len(kept) == len(fields):
            return stats, None
        return stats, tuple(fields[i].name for i in kept)


def key_stats(
    fields: Sequence[DataField], bounds: Sequence[ColumnBounds], file_format: FileFormat
) -> SimpleStats:
    """The statistics of the key columns, which no option cuts."""
    return _stats(fields, bounds, [_as_told(_KEY_MODE, field.type, file_format) for field in fields])


def _as_told(mode: StatsMode, data_type: DataType, file_format: FileFormat) -> StatsMode:
    """The mode as far as footers of a format go, which Paimon takes the statistics from."""
    if file_format is FileFormat.PARQUET and (data_type.is_nested or isinstance(data_type, VariantType)):
        return _NONE
    if file_format is FileFormat.ORC and isinstance(data_type, (BinaryType, VarBinaryType)):
        return replace(mode, keeps_bounds=False)
    return mode


def stats_rules(
    schema: TableSchema, options: TableOptions, level: int, mode: str | None = None
) -> StatsRules:
    """The rules of a table for files of one level; `mode` goes before that of the level."""
    default = mode or options.get(STATS_MODE_PER_LEVEL).get(level, options.get(STATS_MODE))
    first = options.get(STATS_KEEP_FIRST_N)
    modes = []
    for i, field in enumerate(schema.fields):
        own = schema.options.get(f"fields.{field.name}.stats-mode")
        left_out = own is None and 0 <= first <= i
        modes.append(_NONE if left_out else parse_stats_mode(own if own is not None else default))
    return StatsRules(tuple(modes), options.get(STATS_DENSE_STORE))


def _stats(
    fields: Sequence[DataField], bounds: Sequence[ColumnBounds], modes: Sequence[StatsMode]
) -> SimpleStats:
    types = [field.type.with_nullability(True) for field in fields]
    pairs = [_pair(bound, mode) for bound, mode in zip(bounds, modes, strict=True)]
    nulls = tuple(
        bound.null_count if mode.counts_nulls else None for bound, mode in zip(bounds, modes, strict=True)
    )
    return SimpleStats(
        encode_row(types, [low for low, _ in pairs]), encode_row(types, [high for _, high in pairs]), nulls
    )


def _pair(bound: ColumnBounds, mode: StatsMode) -> tuple[Any, Any]:
    """Smallest and largest value as the mode keeps them; both or none."""
    low, high = bound.minimum, bound.maximum
    if low is None or not mode.keeps_bounds:
        return None, None
    if mode.length is None:
        return low, high
    cut = truncate_max(high, mode.length)
    return (None, None) if cut is None else (truncate_min(low, mode.length), cut)
