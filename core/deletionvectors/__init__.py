"""Deletion vectors: which rows of a data file are deleted."""

from core.deletionvectors.index_file import (
    decode_index_file,
    decode_vector_at,
    encode_index_file,
)
from core.deletionvectors.read import read_vectors
from core.deletionvectors.vector import DeletionVector, decode_vector, encode_vector
from core.deletionvectors.write import (
    VectorChange,
    VectorPlace,
    change_vectors,
    write_index_file,
    write_index_files,
)

__all__ = [
    "DeletionVector",
    "VectorChange",
    "VectorPlace",
    "change_vectors",
    "decode_index_file",
    "decode_vector",
    "decode_vector_at",
    "encode_index_file",
    "encode_vector",
    "read_vectors",
    "write_index_file",
    "write_index_files",
]
