"""Text files as blocks of whole lines, whatever codec their names tell."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as _pc

from core.errors import UnsupportedError
from core.io.file_io import FileIO

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time
_pa: Any = pa

_BLOCK = 4 * 1024 * 1024
_BOM = b"\xef\xbb\xbf"
_LINE_END = re.compile(rb"\r\n?")

# Names of Hadoop's codecs, of Arrow's, and what names of files end with.
CODECS = {"gzip": ("gzip", "gz"), "bzip2": ("bz2", "bz2"), "zstd": ("zstd", "zst")}
_BY_SUFFIX = {"gz": "gzip", "gzip": "gzip", "bz2": "bz2", "zst": "zstd", "zstd": "zstd"}
_UNREAD = ("lz4", "snappy", "deflate", "xz")  # framed in Hadoop's own way


@contextmanager
def open_text(io: FileIO, path: str) -> Iterator[IO[bytes]]:
    """The content of a text file, decompressed.

    Raises:
        UnsupportedError: it has a codec that we do not read, by its name.
    """
    suffix = path.rpartition("/")[2].rpartition(".")[2].lower()
    if suffix in _UNREAD:
        raise UnsupportedError(
            "text files with this codec are not read", feature=f"codec {suffix} of text files", where=path
        )
    with io.open_input(path) as source:
        codec: Any = _BY_SUFFIX.get(suffix)
        if codec is None:
            yield source
            return
        stream: Any = _pa.CompressedInputStream(_pa.PythonFile(source, "r"), codec)
        with stream:
            yield stream


@contextmanager
def compressed(sink: Any, codec: str) -> Iterator[Any]:
    """Where text is written to. Raises `UnsupportedError` for a codec that we do not write."""
    if codec in ("none", "uncompressed"):
        yield sink
        return
    check_codec(codec)
    stream: Any = _pa.CompressedOutputStream(_pa.PythonFile(sink, "w"), CODECS[codec][0])
    with stream:
        yield stream


def check_codec(codec: str) -> None:
    if codec not in CODECS and codec not in ("none", "uncompressed"):
        raise UnsupportedError(
            "text files are not written with this codec", feature=f"file.compression {codec} of text files"
        )


def text_suffix(codec: str) -> str:
    """What names of text files end with behind the format, such as `.gz`."""
    return f".{CODECS[codec][1]}" if codec in CODECS else ""


def line_blocks(source: IO[bytes]) -> Iterator[bytes]:
    """Whole lines, some megabytes together, each ended by a line feed; a line has to fit into memory."""
    rest, is_first = b"", True
    while data := source.read(_BLOCK):
        block = rest + bytes(data)
        if is_first:
            block, is_first = block.removeprefix(_BOM), False
        held = block[-1:] == b"\r"  # its line feed may be the next byte
        cut = max(block.rfind(b"\n"), block.rfind(b"\r", 0, len(block) - held)) + 1
        if cut:
            yield _plain_ends(block[:cut])
        rest = block[cut:]
    if rest:
        yield _plain_ends(rest)


def _plain_ends(block: bytes) -> bytes:
    return _LINE_END.sub(b"\n", block) if b"\r" in block else block


def lines_of(block: bytes) -> Any:
    """The lines of a block as a column of texts, without their ends."""
    data = block if block.endswith(b"\n") else block + b"\n"
    ends = np.flatnonzero(np.frombuffer(data, np.uint8) == 10)
    starts = np.concatenate([[0], ends + 1]).astype(np.int32)
    with_ends = pa.Array.from_buffers(
        pa.binary(), len(ends), [None, pa.py_buffer(starts.tobytes()), pa.py_buffer(data)]
    )
    return pc.binary_slice(with_ends, 0, -1)
