"""BinaryRow: values <-> bytes, one row at a time and in columns, and its hash. Spec: 03."""

from core.binary.decode import decode_field, decode_row
from core.binary.decode_rows import decode_rows
from core.binary.encode import encode_row
from core.binary.encode_rows import encode_rows
from core.binary.murmur import hash_row, hash_rows
from core.binary.row import EMPTY_ROW, BinaryRow

__all__ = [
    "EMPTY_ROW",
    "BinaryRow",
    "decode_field",
    "decode_row",
    "decode_rows",
    "encode_row",
    "encode_rows",
    "hash_row",
    "hash_rows",
]
