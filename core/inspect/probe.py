"""Where one key may be in a bucket, by metadata and file indexes alone. Design: 6.9; spec: 05, 9; 07, 1.

No row is read, so which version wins is said by the order only: a reader merges the files
that are left, and where the newest version counts it is that of the first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from core.arrow import from_python
from core.bucket import BucketMode, assign_buckets, bucket_mode
from core.errors import InvalidRequestError
from core.inspect.selection import BucketFiles, select_bucket
from core.manifest import DataFileMeta
from core.mergetree.keys import comparable_keys
from core.options import BUCKET, BUCKET_FUNCTION
from core.predicate import Comparison, Operator, Predicate, bind
from core.read.file_reader import FileReader
from core.scan.levels import skips_level_zero
from core.scan.split import Split
from core.snapshot import Snapshot
from core.system.file_stats import key_columns
from core.system.text import Column
from core.table import Table
from core.types import BinaryType, DataField, VarBinaryType, cast_text


@dataclass(frozen=True, slots=True)
class ProbedFile:
    """A file whose key range holds the key."""

    name: str
    level: int
    may_hold: bool  # False: an index says that it does not, or a batch read leaves it out
    asked: tuple[str, ...]  # the indexes that were asked, as `bloom-filter(id)`
    unused: tuple[str, ...]  # why others were not
    is_left_out: bool  # a batch read does not look at level 0


@dataclass(frozen=True, slots=True)
class KeyProbe:
    """What metadata and indexes say of one key in one bucket."""

    snapshot: str  # reference
    key: str
    position: int  # of the key among those of `BucketLevels.keys`: of the first that is not smaller
    is_end: bool  # a file begins or ends with this very key
    belongs_to: int | None  # the bucket that the key hashes to; None: the table does not hash keys
    files: tuple[ProbedFile, ...]  # newest run first


def probe_key(
    table: Table, partition: str, bucket: int, key: Mapping[str, str], snapshot: Snapshot | None = None
) -> KeyProbe:
    """The files of a bucket that a reader of the key would have to open, newest run first.

    `key` has the text of each column of `key_fields`; `partition` is as `select_bucket` takes it.

    Raises:
        InvalidRequestError: an append table, another set of columns, or a text that is no value.
        NotFoundError: no such bucket.
    """
    if not table.schema.primary_keys:
        raise InvalidRequestError("only a table with a primary key has levels", table=str(table.identifier))
    fields = table.schema.key_fields()
    conjuncts = _equalities(fields, key)
    values = [conjunct.literal for conjunct in conjuncts]
    chosen = select_bucket(table, partition, bucket, snapshot)
    low = key_columns(table.schemas, table.schema, chosen.entries, "min_key")
    high = key_columns(table.schemas, table.schema, chosen.entries, "max_key")
    position, is_end, holds = _placed(fields, values, low, high)
    files = [entry.file for entry, inside in zip(chosen.entries.entries(), holds, strict=True) if inside]
    files.sort(key=lambda file: (file.level, -file.max_sequence_number))
    return KeyProbe(
        snapshot=chosen.snapshot.reference,
        key=", ".join(cast_text(field.type, value) for field, value in zip(fields, values, strict=True)),
        position=position,
        is_end=is_end,
        belongs_to=_bucket_of(table, chosen, fields, values),
        files=tuple(_probed(table, chosen, files, conjuncts)),
    )


def _equalities(fields: Sequence[DataField], key: Mapping[str, str]) -> list[Comparison]:
    names = [field.name for field in fields]
    if set(names) != key.keys():
        raise InvalidRequestError(
            "give each column of the key", expected=", ".join(names), found=", ".join(sorted(key))
        )
    bound = [bind(Comparison(f.name, Operator.EQUAL, _literal(f, key[f.name])), fields) for f in fields]
    return [one for one in bound if isinstance(one, Comparison)]


def _literal(field: DataField, text: str) -> str | bytes:
    """Bytes are typed as hexadecimal digits, as pages show them."""
    if not isinstance(field.type, (BinaryType, VarBinaryType)):
        return text
    try:
        return bytes.fromhex(text.removeprefix("0x"))
    except ValueError as error:
        raise InvalidRequestError(
            "bytes are written as hexadecimal digits", column=field.name, found=text
        ) from error


def _placed(
    fields: Sequence[DataField], values: Sequence[object], low: Sequence[Column], high: Sequence[Column]
) -> tuple[int, bool, np.ndarray]:
    """The position of the key among the distinct ends, whether it is one, and which files span it."""
    columns = [
        pa.concat_arrays([a, b, from_python([value], field.type).cast(a.type)])
        for field, value, a, b in zip(fields, values, low, high, strict=True)
    ]
    comparable = comparable_keys(columns)
    count = len(low[0])
    ends, key = np.unique(comparable[:-1]), comparable[-1]
    position = int(np.searchsorted(ends, key))
    is_end = position < len(ends) and bool(ends[position] == key)
    return position, is_end, (comparable[:count] <= key) & (key <= comparable[count:-1])


def _bucket_of(
    table: Table, chosen: BucketFiles, fields: Sequence[DataField], values: Sequence[object]
) -> int | None:
    schema, options = table.schema, table.options
    mode = bucket_mode(schema.primary_keys, schema.partition_keys, options.get(BUCKET))
    given = {field.name: value for field, value in zip(fields, values, strict=True)}
    if mode is not BucketMode.HASH_FIXED or not set(schema.bucket_keys) <= given.keys():
        return None
    hashed = schema.fields_of(schema.bucket_keys)
    arrays = [from_python([given[field.name]], field.type) for field in hashed]
    total = int(chosen.entries.numpy("total_buckets").max())
    types = [field.type for field in hashed]
    return int(assign_buckets(types, arrays, total, options.get(BUCKET_FUNCTION))[0])


def _probed(
    table: Table, chosen: BucketFiles, files: Sequence[DataFileMeta], conjuncts: Sequence[Predicate]
) -> list[ProbedFile]:
    split = Split(chosen.snapshot.id, chosen.partition, chosen.bucket, 1, tuple(files), False)
    reader = FileReader.of(table, table.schema, split)
    hidden = skips_level_zero(table.schema)
    found = []
    for file in files:
        mapping = reader.mapping(file, table.schema.key_fields())
        answer = reader.ask_index(file, mapping, conjuncts)
        out = hidden and file.level == 0
        may = not out and (answer.rows is None or len(answer.rows) > 0)
        found.append(ProbedFile(file.file_name, file.level, may, answer.asked, answer.unused, out))
    return found
