"""A cursor over bytes, for the big-endian records of index payloads. Spec: 05, conventions."""

from __future__ import annotations

from core.errors import FormatError


class Cursor:
    """Reads forward through `data`; every read beyond the end is a `FormatError` with the offset."""

    __slots__ = ("data", "position")

    def __init__(self, data: bytes, position: int = 0) -> None:
        self.data = data
        self.position = position

    def take(self, count: int) -> bytes:
        end = self.position + count
        if count < 0 or end > len(self.data):
            raise FormatError(
                "bytes end too early",
                offset=self.position,
                expected=count,
                found=len(self.data) - self.position,
            )
        taken = self.data[self.position : end]
        self.position = end
        return taken

    def integer(self, width: int, *, signed: bool = True) -> int:
        return int.from_bytes(self.take(width), "big", signed=signed)

    def count(self) -> int:
        """Four bytes that say how many or how long: never below zero."""
        number = self.integer(4)
        if number < 0:
            raise FormatError("a count is negative", offset=self.position - 4, found=number)
        return number

    def byte(self) -> int:
        return self.integer(1, signed=False)

    def boolean(self) -> bool:
        return self.byte() != 0

    def short_text(self) -> str:
        """Text of Java's `writeUTF`: a 2-byte length, then modified UTF-8."""
        raw = self.take(self.integer(2, signed=False))
        try:
            # Modified UTF-8 differs in two things: NUL is C0 80, and astral characters are surrogate pairs.
            text = raw.replace(b"\xc0\x80", b"\0").decode("utf-8", "surrogatepass")
            return text.encode("utf-16", "surrogatepass").decode("utf-16")
        except UnicodeDecodeError as error:
            raise FormatError("text is not modified UTF-8", offset=self.position - len(raw)) from error
