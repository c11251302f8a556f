"""The two forms of every aggregate function. Spec: 06, 4.2."""

from __future__ import annotations

from typing import Any, Protocol

from core.errors import UnsupportedError
from core.mergetree.aggregate.events import Column, Events, Folded

Value = Any  # an internal Python value of the column's type, or None


class Accumulator:
    """The clear form: one value after another, of one key. Made anew for each key."""

    def agg(self, accumulator: Value, value: Value) -> Value:
        raise NotImplementedError(type(self).__name__)

    def agg_reversed(self, accumulator: Value, value: Value) -> Value:
        """As `agg`, of a value that is older than those in the accumulator."""
        return self.agg(value, accumulator)

    def retract(self, accumulator: Value, value: Value) -> Value:
        raise RetractionError


class RetractionError(Exception):
    """The function cannot take a value back; the engine knows the column and says so."""


class AggregateFunction(Protocol):
    """An aggregate function of one column."""

    @property
    def retracts(self) -> bool:
        """Whether values can be taken back."""
        ...

    @property
    def appends_older(self) -> bool:
        """Whether an older value that comes late is appended, as a newer one is."""
        ...

    def accumulator(self) -> Accumulator: ...

    def fold(self, column: Column, events: Events) -> Folded:
        """One value for each key; `column` has the values that `events.row` points to."""
        ...


def retraction_refused(function: str, column: str) -> UnsupportedError:
    return UnsupportedError(
        "the aggregate function cannot take back a row that was updated or deleted; "
        f"'fields.{column}.ignore-retract' = 'true' leaves such rows out",
        feature=f"retracting from {function} of column {column}",
    )
