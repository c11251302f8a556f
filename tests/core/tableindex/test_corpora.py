"""The index that Java wrote, and the buckets that we give its keys."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core.binary import EMPTY_ROW, hash_row, hash_rows
from core.catalog import open_catalog
from core.tableindex import AssignmentRule, PartitionBuckets, decode_hash_index

CORPORA = Path(__file__).parents[2] / "corpora"


@pytest.mark.parametrize("name", ["dyn_hash", "dyn_hash_part"])
def test_every_key_of_javas_buckets_has_its_hash_in_their_index(name: str) -> None:
    table = open_catalog(str(CORPORA / "java09")).get_table(f"pk.{name}")
    snapshot = table.snapshots.latest()
    assert snapshot is not None
    index = {
        (e.partition, e.bucket): decode_hash_index(table.io.read(table.paths.index_file(e.file_name)))
        for e in table.manifests.index_entries(snapshot)
    }
    keys = table.schema.key_fields()
    for split in table.plan().splits:
        rows = table.read_split(split, [field.name for field in keys])
        for batch in rows:
            hashes = hash_rows([f.type for f in keys], batch.columns)
            assert set(hashes.tolist()) <= set(index[split.partition, split.bucket].tolist())


def test_javas_index_answers_for_its_keys_and_the_rest_fills_its_buckets() -> None:
    table = open_catalog(str(CORPORA / "java09")).get_table("pk.dyn_hash")
    snapshot = table.snapshots.latest()
    assert snapshot is not None
    known = {
        e.bucket: decode_hash_index(table.io.read(table.paths.index_file(e.file_name)))
        for e in table.manifests.index_entries(snapshot)
    }
    buckets = PartitionBuckets(AssignmentRule.of(table.options), hash_row(EMPTY_ROW), known)
    for bucket, hashes in known.items():
        assert buckets.assign(hashes).tolist() == [bucket] * len(hashes)
    room = sum(6 - len(hashes) for hashes in known.values())
    new = buckets.assign(np.arange(1_000_000, 1_000_000 + room + 1, dtype=np.int32)).tolist()
    assert new[-1] == max(known) + 1
    assert set(new[:-1]) <= set(known)
