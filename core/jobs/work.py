"""What all jobs have in common."""

from __future__ import annotations


class Work:
    """What one kind of job is asked: a frozen dataclass whose fields are those of the spec."""

    __slots__ = ()
