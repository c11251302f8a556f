import numpy as np
import pytest

from core.errors import FormatError
from core.tableindex import decode_hash_index, encode_hash_index


def test_hashes_of_keys_1_and_2_as_java_wrote_them() -> None:
    data = bytes.fromhex("5759f99e4fe4bbf0")
    assert decode_hash_index(data).tolist() == [1465514398, 1340390384]


def test_negative_hashes_survive_and_duplicates_do_not() -> None:
    data = encode_hash_index(np.array([-771300025, 7, 7], dtype=np.int32))
    assert sorted(decode_hash_index(data).tolist()) == [-771300025, 7]


def test_a_size_that_is_no_multiple_of_4_is_an_error() -> None:
    with pytest.raises(FormatError, match="cut"):
        decode_hash_index(b"12345")
