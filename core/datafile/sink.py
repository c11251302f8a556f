"""The output of a file that is being written, as encoders see it."""

from __future__ import annotations

from io import RawIOBase
from typing import IO, Any


class Sink(RawIOBase):
    """Counts bytes, can hold back those that come last, and can forget what still comes."""

    def __init__(self, output: IO[bytes]) -> None:
        self._output = output
        self._size = 0
        self._holding = False
        self._dropping = False
        self._held: list[bytes] = []

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._size

    def write(self, data: Any) -> int:
        if self._holding:
            self._held.append(bytes(data))
        elif not self._dropping:
            self._output.write(data)
        self._size += len(data)
        return len(data)

    def drop(self) -> None:
        """Forget what is written from now on."""
        self._dropping = True

    def hold(self) -> None:
        """Keep what is written from now on in memory."""
        self._holding = True

    @property
    def held(self) -> bytes:
        return b"".join(self._held)

    def release(self, data: bytes) -> None:
        """Write `data` in place of what was held."""
        self._size -= sum(map(len, self._held))
        self._held, self._holding = [], False
        self.write(data)
