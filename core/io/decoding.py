"""Read a file and decode it, with the file's path in any error."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from core.errors import FormatError, UnsupportedError
from core.io.file_io import FileIO

_T = TypeVar("_T")


def read_decoded(io: FileIO, path: str, decode: Callable[[bytes], _T]) -> _T:
    """What `decode` makes of the file; its errors name the file."""
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
