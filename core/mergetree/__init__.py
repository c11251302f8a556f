"""The merge tree of a bucket: keys, sorted runs, and the merge of their versions. Spec: 06; 07."""

from core.mergetree.key_value import KeyValue
from core.mergetree.keys import KeyArray, comparable_keys
from core.mergetree.sort_merge import MergeLimits, Window, iter_kept, iter_sorted, iter_windows
from core.mergetree.sorted_run import Section, SortedRun, interval_partition

__all__ = [
    "KeyArray",
    "KeyValue",
    "MergeLimits",
    "Section",
    "SortedRun",
    "Window",
    "comparable_keys",
    "interval_partition",
    "iter_kept",
    "iter_sorted",
    "iter_windows",
]
