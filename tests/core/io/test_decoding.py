from __future__ import annotations

import pytest

from core.errors import FormatError, PaimonError, UnsupportedError
from core.io import MemoryFileIO
from core.io.decoding import read_decoded

PATH = "memory://b/t/file"


def refuses(error: PaimonError, data: bytes = b"") -> object:
    raise error


def test_what_is_decoded_is_returned() -> None:
    io = MemoryFileIO()
    io.write(PATH, b"12")
    assert read_decoded(io, PATH, int) == 12


@pytest.mark.parametrize("kind", [FormatError, UnsupportedError])
def test_errors_of_codecs_get_the_path_and_keep_their_fields(kind: type[PaimonError]) -> None:
    io = MemoryFileIO()
    io.write(PATH, b"")
    with pytest.raises(kind) as caught:
        read_decoded(io, PATH, lambda data: refuses(kind("bad", offset=3, source=0), data))
    assert caught.value.fields == {"path": PATH, "offset": 3}


def test_a_path_that_is_known_better_is_kept() -> None:
    io = MemoryFileIO()
    io.write(PATH, b"")
    with pytest.raises(FormatError, match="path=inner"):
        read_decoded(io, PATH, lambda data: refuses(FormatError("bad", path="inner"), data))
