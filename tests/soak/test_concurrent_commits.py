"""Eight processes change one table at once, on local disk and on an object store: nothing is lost, nothing is
there twice, no id is skipped.
"""

from __future__ import annotations

import json
import multiprocessing
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as _pc
import pytest

from core import Table, open_catalog
from core.maintenance.check import check_table
from core.types import STRING, BigIntType, DataField
from tests.soak.worker import OWN, PATIENCE, SHARED, TABLE, run

pc: Any = _pc

ROLES = ("append", "append", "append", "append", "overwrite", "compact", "tag", "expire")
LONG = bool(os.environ.get("LAKESCOPE_SOAK_SECONDS"))
SECONDS = float(os.environ.get("LAKESCOPE_SOAK_SECONDS") or 3)  # for each kind of table on each store
PATIENT = {"commit.max-retries": "1000", "commit.min-retry-wait": "1 ms", "commit.max-retry-wait": "50 ms"}
KINDS = {
    "append": {"bucket": "2", "bucket-key": "k"},
    "keyed": {"bucket": "2"},
}


def new_table(options: Mapping[str, str], kind: str) -> Table:
    catalog = open_catalog(options)
    catalog.create_database("db")
    fields = [DataField(0, "p", STRING), DataField(1, "k", BigIntType()), DataField(2, "v", STRING)]
    return catalog.create_table(
        TABLE,
        fields,
        partition_keys=["p"],
        primary_keys=["p", "k"] if kind == "keyed" else [],
        options={**KINDS[kind], **PATIENT, "write-only": "true"},
    )


def run_workers(catalog: Mapping[str, str], folder: Path) -> list[tuple[str, dict[str, Any]]]:
    """What each of them did, by role."""
    spawned = multiprocessing.get_context("forkserver")
    spawned.set_forkserver_preload(["pandas", "tests.soak.worker"])
    start = spawned.Barrier(len(ROLES))
    outs = [folder / f"{number}.json" for number in range(len(ROLES))]
    running = [
        spawned.Process(target=run, args=(role, n, SECONDS, start, outs[n], catalog))
        for n, role in enumerate(ROLES)
    ]
    try:
        for process in running:
            process.start()
        for process in running:
            process.join(PATIENCE + SECONDS)
    finally:
        for process in running:
            process.kill()
            process.join()
    assert [process.exitcode for process in running] == [0] * len(ROLES)
    return [(role, json.loads(out.read_text())) for role, out in zip(ROLES, outs, strict=True)]


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_lost_and_nothing_doubled_on_local_disk(kind: str, tmp_path: Path) -> None:
    check_soaked({"warehouse": str(tmp_path / "warehouse")}, kind, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS if LONG else ["keyed"])
def test_nothing_is_lost_and_nothing_doubled_on_an_object_store(
    kind: str, s3: Mapping[str, str], tmp_path: Path
) -> None:
    check_soaked({**s3, "warehouse": f"{s3['warehouse']}/{kind}"}, kind, tmp_path)


def check_soaked(catalog: Mapping[str, str], kind: str, folder: Path) -> None:
    """Let all of them change a new table, and hold what is there against what they did."""
    new_table(catalog, kind)
    done = run_workers(catalog, folder)
    table = open_catalog(catalog).get_table(TABLE)
    assert isinstance(table, Table)

    found = table.to_arrow()
    appended = sorted(k for role, did in done if role == "append" for k in did["rows"])
    assert sorted(found.filter(_is_in(found, SHARED))["k"].to_pylist()) == appended
    (last,) = [did["rows"] for role, did in done if role == "overwrite"]
    assert sorted(found.filter(_is_in(found, OWN))["k"].to_pylist()) == last

    ids = sorted(snapshot for _, did in done for snapshot in did["commits"])
    assert ids == list(range(1, len(ids) + 1)), "an id was skipped, or a commit was told twice"
    kept = table.snapshots.ids()
    assert kept == list(range(kept[0], len(ids) + 1))
    tags = sorted(name for _, did in done for name in did["tags"])
    assert table.tags.names() == tags
    assert check_table(table).findings == ()
    for name in tags[:: max(1, len(tags) // 5)]:
        table.to_arrow(tag=name)
    counts = {role: sum(len(did["commits"]) for r, did in done if r == role) for role in dict.fromkeys(ROLES)}
    lost = {role: sum(did["lost"] for r, did in done if r == role) for role in ("compact", "tag", "expire")}
    told = f"{len(ids)} commits in {SECONDS:g} s {counts}, {len(tags)} tags, tried again: {lost}"
    print(f"{kind} in {catalog['warehouse']}: {told}")


def _is_in(table: pa.Table, partition: str) -> Any:
    return pc.equal(table["p"], partition)
