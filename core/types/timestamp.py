"""A point in time at nanosecond precision, as Paimon holds it. Spec: 01, 7.2."""

from __future__ import annotations

from typing import NamedTuple, Self

NANOS_PER_MILLI = 1_000_000


class Timestamp(NamedTuple):
    """Epoch milliseconds and the nanoseconds within that millisecond.

    Wall clock for TIMESTAMP, UTC for TIMESTAMP_LTZ. Tuples order as the times do.
    """

    millis: int
    nanos_of_milli: int = 0  # 0..999999, also before 1970

    @classmethod
    def from_nanos(cls, nanos: int) -> Self:
        return cls(*divmod(nanos, NANOS_PER_MILLI))

    @property
    def nanos(self) -> int:
        """Epoch nanoseconds; unbounded, as a Python int."""
        return self.millis * NANOS_PER_MILLI + self.nanos_of_milli
