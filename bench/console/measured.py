"""What was measured, beside its budget."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Measured:
    """A budget and what was measured."""

    name: str
    most: float
    unit: str
    found: float
    how: str

    @property
    def met(self) -> bool:
        return self.found <= self.most
