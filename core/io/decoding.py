"""Read a file and decode it, with the file's path in any error."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol, TypeVar, runtime_checkable

from core.errors import FormatError, UnsupportedError
from core.io.file_io import FileIO

_T = TypeVar("_T")


@runtime_checkable
class KeepsWhatIsKnown(Protocol):
    """A store that keeps what was made of its small files and listings, as long as they stay as they are."""

    def decoded(self, path: str, decode: Callable[[bytes], _T]) -> _T:
        """As `read_decoded`; what `decode` gave for the same content may be given again."""
        ...

    def numbers(self, directory: str, prefix: str) -> list[int]:
        """As `listed_ids`."""
        ...

    def forget(self, path: str) -> None:
        """What was read there makes no sense: nothing of it is given again."""
        ...


def read_decoded(io: FileIO, path: str, decode: Callable[[bytes], _T]) -> _T:
    """What `decode` makes of the file; its errors name the file."""
    if isinstance(io, KeepsWhatIsKnown):
        return io.decoded(path, decode)
    data = io.read(path)
    with errors_naming(path):
        return decode(data)


@contextmanager
def errors_naming(path: str) -> Iterator[None]:
    """Adds `path` to format errors of pure codecs, which do not know where bytes came from."""
    try:
        yield
    except (FormatError, UnsupportedError) as error:
        if "path" in error.fields:
            raise
        # `source` is the place among several files decoded at once; here it is the path.
        fields = {name: value for name, value in error.fields.items() if name != "source"}
        raise type(error)(error.what, path=path, **fields) from error
