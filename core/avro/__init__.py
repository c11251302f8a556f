"""Avro object containers <-> Arrow: manifests and data files. Spec: 02, 1; 04, A3."""

from core.avro.encoded import EncodedRows
from core.avro.read import GROUP_BYTES, decode_columns, iter_batches, open_rows, read_records, read_schema
from core.avro.write import RowWriter, encode_container

__all__ = [
    "GROUP_BYTES",
    "EncodedRows",
    "RowWriter",
    "decode_columns",
    "encode_container",
    "iter_batches",
    "open_rows",
    "read_records",
    "read_schema",
]
