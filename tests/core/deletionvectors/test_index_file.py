import pytest

from core.deletionvectors import DeletionVector, decode_index_file, encode_index_file
from core.errors import FormatError, UnsupportedError
from core.manifest import DeletionVectorRange

BY_JAVA_09 = bytes.fromhex("01000000185e43f2d03a30000001000000000001001000000001000200c3366892")


def test_ranges_of_the_two_kinds_count_differently() -> None:
    vectors = {"a": DeletionVector.of([1, 2, 5]), "b": DeletionVector.of([1, 2, 5], is_64_bit=True)}
    _, ranges = encode_index_file(vectors)
    assert ranges == (DeletionVectorRange("a", 1, 26, 3), DeletionVectorRange("b", 35, 46, 3))


def test_a_file_of_java_0_9_is_read() -> None:
    vectors = decode_index_file(BY_JAVA_09, [DeletionVectorRange("data-0.orc", 1, 24)])
    assert vectors == {"data-0.orc": DeletionVector.of([1, 2])}


def test_an_index_file_reads_back_what_was_written() -> None:
    vectors = {"a": DeletionVector.of([7]), "b": DeletionVector.of(range(1000))}
    assert decode_index_file(*encode_index_file(vectors)) == vectors


def test_a_bucket_without_vectors_is_the_version_byte() -> None:
    assert encode_index_file({}) == (b"\x01", ())


def test_another_cardinality_than_the_range_says_is_an_error() -> None:
    data, _ = encode_index_file({"a": DeletionVector.of([1])})
    with pytest.raises(FormatError, match="another number of rows"):
        decode_index_file(data, [DeletionVectorRange("a", 1, _length(data), 5)])


def test_another_length_than_the_range_says_is_an_error() -> None:
    data, _ = encode_index_file({"a": DeletionVector.of([1])})
    with pytest.raises(FormatError, match="another length"):
        decode_index_file(data, [DeletionVectorRange("a", 1, _length(data) + 8)])


def test_an_unknown_version_is_refused() -> None:
    with pytest.raises(UnsupportedError, match="version 9"):
        decode_index_file(b"\x09", [])


def _length(data: bytes) -> int:
    return int.from_bytes(data[1:5], "big")
