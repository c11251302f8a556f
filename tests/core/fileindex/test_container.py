"""The container of spec 05, 4, with the head of its example."""

import pytest

from core.errors import FormatError, UnsupportedError
from core.fileindex import decode_file_index, index_file_name

HEAD = bytes.fromhex(
    "00054e4ed01a35ae 00000001 00000066 00000002"
    "0002 6964 00000002  0006 6269746d6170 00000066 00000052  000c 626c6f6f6d2d66696c746572 000000b8 00000007"
    "0004 6d5b6b5d 00000001  000c 626c6f6f6d2d66696c746572 ffffffff 00000000"
    "00000000"
)
EXAMPLE = HEAD + bytes(0x52) + bytes.fromhex("00000004c86005")


def test_the_example_of_the_spec_is_read() -> None:
    index = decode_file_index(EXAMPLE)
    assert [(s.column, s.index_type, s.length, s.is_empty) for s in index.slots] == [
        ("id", "bitmap", 0x52, False),
        ("id", "bloom-filter", 7, False),
        ("m[k]", "bloom-filter", 0, True),
    ]
    assert index.payload(index.slots[1]) == bytes.fromhex("00000004c86005")
    assert index.payload(index.slots[2]) == b""


def test_wrong_magic_is_an_error() -> None:
    with pytest.raises(FormatError, match="wrong magic"):
        decode_file_index(b"garbage!" + EXAMPLE[8:])


def test_an_unknown_version_is_refused() -> None:
    with pytest.raises(UnsupportedError, match="version 2"):
        decode_file_index(EXAMPLE[:8] + (2).to_bytes(4, "big") + EXAMPLE[12:])


def test_a_cut_container_is_an_error() -> None:
    for length in range(len(EXAMPLE)):
        with pytest.raises(FormatError):
            decode_file_index(EXAMPLE[:length])


def test_two_index_files_of_one_data_file_are_an_error() -> None:
    assert index_file_name(["a.blob", "d.orc.index"]) == "d.orc.index"
    assert index_file_name([]) is None
    with pytest.raises(FormatError, match="two index files"):
        index_file_name(["d.orc.index", "d.orc-1.index"])
