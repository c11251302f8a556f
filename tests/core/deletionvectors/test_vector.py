"""Blocks of deletion vectors, against the worked example of spec 05, 2.4."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyroaring import BitMap

from core.deletionvectors import DeletionVector, decode_vector, encode_vector
from core.errors import FormatError, InvalidRequestError

V1 = bytes.fromhex("0000001a5e43f2d03a3000000100000000000200100000000100020005004b2ef68e")
V2 = bytes.fromhex(
    "00000026d1d339640100000000000000000000003a300000010000000000020010000000010002000500e2223a5c"
)
POSITIONS = st.sets(st.integers(0, 2**31 - 1), max_size=50)


@pytest.mark.parametrize(("block", "is_64_bit"), [(V1, False), (V2, True)])
def test_the_example_of_the_spec_is_written_and_read(block: bytes, is_64_bit: bool) -> None:
    vector = DeletionVector.of([1, 2, 5], is_64_bit=is_64_bit)
    assert encode_vector(vector) == block
    assert decode_vector(block) == vector


@given(POSITIONS, st.booleans())
def test_decoding_an_encoded_vector_gives_its_positions(positions: set[int], is_64_bit: bool) -> None:
    vector = DeletionVector.of(positions, is_64_bit=is_64_bit)
    assert set(decode_vector(encode_vector(vector)).positions) == positions


def test_a_64_bit_vector_writes_the_keys_between() -> None:
    vector = DeletionVector.of([3, 2 * 2**32 + 7], is_64_bit=True)
    block = encode_vector(vector)
    assert int.from_bytes(block[8:16], "little") == 3  # keys 0, 1 and 2
    assert decode_vector(block) == vector


def test_an_empty_64_bit_vector_has_no_key() -> None:
    assert encode_vector(DeletionVector.of([], is_64_bit=True))[8:16] == bytes(8)


def test_a_position_beyond_31_bits_needs_the_64_bit_form() -> None:
    with pytest.raises(InvalidRequestError, match="too large"):
        DeletionVector.of([2**31])


@pytest.mark.parametrize("block", [V1, V2])
def test_any_flipped_byte_is_found(block: bytes) -> None:
    for index in range(len(block)):
        damaged = block[:index] + bytes([block[index] ^ 0xFF]) + block[index + 1 :]
        with pytest.raises(FormatError):
            decode_vector(damaged)


@pytest.mark.parametrize("block", [V1, V2])
def test_a_cut_block_is_an_error(block: bytes) -> None:
    for length in range(len(block)):
        with pytest.raises(FormatError):
            decode_vector(block[:length])


def test_vectors_of_one_kind_are_merged() -> None:
    merged = DeletionVector.of([1]).merge(DeletionVector.of([4]))
    assert merged == DeletionVector.of([1, 4])
    with pytest.raises(InvalidRequestError, match="cannot be merged"):
        merged.merge(DeletionVector.of([1], is_64_bit=True))


@pytest.mark.parametrize("is_64_bit", [False, True])
def test_rows_that_are_left_are_those_not_deleted(is_64_bit: bool) -> None:
    vector = DeletionVector.of([1, 3, 5], is_64_bit=is_64_bit)
    assert vector.left_of(BitMap([0, 1, 2, 3])) == BitMap([0, 2])


@pytest.mark.parametrize("is_64_bit", [False, True])
def test_the_parts_of_a_file_share_out_what_is_deleted_in_it(is_64_bit: bool) -> None:
    vector = DeletionVector.of([0, 1, 4, 9], is_64_bit=is_64_bit)
    assert vector.by_part(10, 2) == [3, 1]
    assert vector.by_part(10, 64) == [1, 1, 0, 0, 1, 0, 0, 0, 0, 1]  # no part is less than a row
