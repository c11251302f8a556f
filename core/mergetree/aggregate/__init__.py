"""Aggregate functions of columns, each in a clear and a columnar form. Spec: 06, 4.2."""

from core.mergetree.aggregate.events import NULL, Events, Folded, picked
from core.mergetree.aggregate.function import (
    Accumulator,
    AggregateFunction,
    RetractionError,
    retraction_refused,
)
from core.mergetree.aggregate.registry import aggregate_function, ignores_retracts
from core.mergetree.aggregate.turns import FoldsAdds, Turns

__all__ = [
    "NULL",
    "Accumulator",
    "AggregateFunction",
    "Events",
    "Folded",
    "FoldsAdds",
    "RetractionError",
    "Turns",
    "aggregate_function",
    "ignores_retracts",
    "picked",
    "retraction_refused",
]
