"""BinaryRow: a row as bytes, as partitions, keys and statistics are stored. Spec: 03, 1."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BinaryRow:
    """`arity` and the row's bytes (header, null bits, slots, variable part).

    Equal bytes are equal rows, so a BinaryRow is a dict key. `encode.py` and `decode.py` turn values
    into rows and back.
    """

    arity: int
    data: bytes

    def to_bytes(self) -> bytes:
        """The serialized form of manifests: the arity, 4 bytes big endian, then the row."""
        return self.arity.to_bytes(4, "big") + self.data

    @staticmethod
    def from_bytes(serialized: bytes) -> BinaryRow:
        return BinaryRow(int.from_bytes(serialized[:4], "big"), bytes(serialized[4:]))


EMPTY_ROW = BinaryRow(0, bytes(8))
