"""Deletion vectors of a snapshot attached to splits, and told by the plan. Spec: 05, 2.2; 09, 8."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.catalog import open_catalog
from core.manifest import DeletionVectorRange, EntryColumns
from core.options import MergeEngine
from core.scan import DeletionFile, StageName
from core.scan.deletion_files import DeletionFiles
from core.scan.explain import Stage
from core.scan.levels import keys_unique_above_level_zero, skips_level_zero, versions_combine
from core.table import Table
from tests.builders import add, schema

CORPORA = Path(__file__).parents[2] / "corpora"


def stage(*cardinalities: int | None) -> Stage:
    """Of three files of ten rows, the first of which have vectors."""
    entries = [add(f"data-{i}", row_count=10, file_size=100) for i in range(3)]
    files = {
        (e.partition, e.bucket, e.file.file_name): DeletionFile(
            "index-0", DeletionVectorRange(e.file.file_name, 1, 24, count)
        )
        for e, count in zip(entries, cardinalities, strict=False)
    }
    return DeletionFiles(files).stage(EntryColumns.of(entries))


def test_a_plan_says_how_many_rows_are_marked() -> None:
    assert stage(2, 3).line == "deletion vectors: kept 25 of 30 rows: 2 of 3 files have a deletion vector"


def test_a_plan_says_which_vectors_do_not_tell() -> None:
    assert stage(2, None).reason.endswith("1 of which do not say how many rows they delete")
    assert stage().reason == "no file has a deletion vector"


def test_level_zero_is_a_stage_of_its_own() -> None:
    table = open_catalog(str(CORPORA / "java09")).get_table("dv.pk_dv_l0")
    assert isinstance(table, Table)
    levels = next(s for s in table.plan().explain.stages if s.name is StageName.LEVELS)
    assert levels.dropped > 0
    assert "compaction" in levels.reason


@pytest.mark.parametrize(
    ("options", "skips", "unique"),
    [
        ({}, False, False),
        ({"deletion-vectors.enabled": "true"}, True, True),
        ({"deletion-vectors.enabled": "true", "deletion-vectors.merge-on-read": "true"}, False, True),
        ({"merge-engine": "first-row"}, True, True),
        ({"merge-engine": "aggregation"}, False, False),
    ],
)
def test_options_say_what_batch_reads_see(options: dict[str, str], skips: bool, unique: bool) -> None:
    keyed, plain = schema(primary_keys=["k"], options=options), schema(options=options)
    assert (skips_level_zero(keyed), keys_unique_above_level_zero(keyed)) == (skips, unique)
    assert not skips_level_zero(plain)


@pytest.mark.parametrize("engine", list(MergeEngine))
def test_values_combine_in_two_engines(engine: MergeEngine) -> None:
    combine = engine in (MergeEngine.PARTIAL_UPDATE, MergeEngine.AGGREGATION)
    assert versions_combine(schema(primary_keys=["k"], options={"merge-engine": engine})) is combine
