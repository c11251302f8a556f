"""Merge engines, one module each: which version of a key counts. Spec: 06, 2."""

from core.mergetree.merge.aggregation import Aggregation
from core.mergetree.merge.deduplicate import Deduplicate, newest_rows
from core.mergetree.merge.first_row import FirstRow, first_rows
from core.mergetree.merge.fold import Engine, combined_rows
from core.mergetree.merge.partial_update import PartialUpdate

__all__ = [
    "Aggregation",
    "Deduplicate",
    "Engine",
    "FirstRow",
    "PartialUpdate",
    "combined_rows",
    "first_rows",
    "newest_rows",
]
