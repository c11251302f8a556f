"""Statistics of columns as manifests keep them, and how much of them is kept. Spec: 03, 5."""

from core.stats.modes import StatsMode, parse_stats_mode, truncate_max, truncate_min
from core.stats.simple_stats import EMPTY_STATS, SimpleStats

__all__ = [
    "EMPTY_STATS",
    "SimpleStats",
    "StatsMode",
    "parse_stats_mode",
    "truncate_max",
    "truncate_min",
]
