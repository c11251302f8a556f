"""Packed bytes, in every codec: whole, cut, changed, and more than a reader can hold."""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections.abc import Callable
from contextlib import suppress

import cramjam
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.avro import unpack
from core.avro.unpack import Unpack, zstd
from core.errors import FormatError


def deflate(data: bytes) -> bytes:
    return zlib.compress(data, wbits=-zlib.MAX_WBITS)


def snappy(data: bytes) -> bytes:
    return bytes(cramjam.snappy.compress_raw(data))


def lz4(data: bytes) -> bytes:
    return bytes(cramjam.lz4.compress_block(data, store_size=False))


CODECS: dict[str, tuple[Callable[[bytes], bytes], Unpack]] = {
    "zstd": (zstd.compress, unpack.unpack_zstd),
    "deflate": (deflate, unpack.unpack_deflate),
    "bzip2": (bz2.compress, unpack.unpack_bzip2),
    "xz": (lzma.compress, unpack.unpack_xz),
    "snappy": (snappy, unpack.unpack_snappy),
    "lz4": (lz4, unpack.unpack_lz4),
}
codecs = pytest.mark.parametrize("codec", CODECS)


@codecs
@given(data=st.binary(max_size=3000))
def test_unpacking_gives_what_was_packed(codec: str, data: bytes) -> None:
    pack, unpack = CODECS[codec]
    assert unpack(pack(data), max(len(data), 1)) == data


@codecs
def test_more_than_the_most_is_refused(codec: str) -> None:
    pack, unpack = CODECS[codec]
    with pytest.raises(FormatError):
        unpack(pack(bytes(1_000_000)), 999_999)


@codecs
@given(data=st.data())
def test_changed_or_cut_bytes_are_bytes_or_an_error_of_ours(codec: str, data: st.DataObject) -> None:
    pack, unpack = CODECS[codec]
    packed = bytearray(pack(b"some text, some text, some more " * 20))
    packed[data.draw(st.integers(0, len(packed) - 1))] = data.draw(st.integers(0, 255))
    with suppress(FormatError):
        assert len(unpack(bytes(packed[: data.draw(st.integers(0, len(packed)))]), 2000)) <= 2000


@pytest.mark.parametrize("codec", ["zstd", "bzip2", "xz"])
def test_streams_may_follow_one_another(codec: str) -> None:
    pack, unpack = CODECS[codec]
    assert unpack(pack(b"one") + pack(b"two"), 6) == b"onetwo"
    with pytest.raises(FormatError, match="5 or less"):
        unpack(pack(b"one") + pack(b"two"), 5)
