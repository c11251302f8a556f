from __future__ import annotations

import pytest

from core.io import TablePaths
from tests.builders import data_file

PATHS = TablePaths("/wh/db.db/t")


def test_metadata_lies_in_the_root() -> None:
    assert PATHS.schema_file(3) == "/wh/db.db/t/schema/schema-3"
    assert PATHS.snapshot_file(7) == "/wh/db.db/t/snapshot/snapshot-7"
    assert PATHS.changelog_file(7) == "/wh/db.db/t/changelog/changelog-7"
    assert PATHS.tag_file("v1") == "/wh/db.db/t/tag/tag-v1"
    assert PATHS.consumer_file("job") == "/wh/db.db/t/consumer/consumer-job"
    assert PATHS.manifest_file("manifest-x") == "/wh/db.db/t/manifest/manifest-x"
    assert PATHS.statistics_file("stat-x") == "/wh/db.db/t/statistics/stat-x"


def test_a_branch_has_its_own_snapshots_and_shares_manifests_and_data() -> None:
    branch = PATHS.on_branch("b")
    assert branch.snapshot_file(7) == "/wh/db.db/t/branch/branch-b/snapshot/snapshot-7"
    assert branch.schema_file(0) == "/wh/db.db/t/branch/branch-b/schema/schema-0"
    assert branch.manifest_file("m") == PATHS.manifest_file("m")
    assert branch.bucket_dir("", 0) == PATHS.bucket_dir("", 0)


@pytest.mark.parametrize(
    ("partition", "bucket", "expected"),
    [("", 0, "bucket-0"), ("dt=1/hr=2", 12, "dt=1/hr=2/bucket-12"), ("", -2, "bucket-postpone")],
)
def test_a_bucket_lies_in_its_partition(partition: str, bucket: int, expected: str) -> None:
    assert PATHS.bucket_dir(partition, bucket) == f"/wh/db.db/t/{expected}"


def test_the_option_moves_data_and_not_metadata() -> None:
    moved = TablePaths("/wh/db.db/t", data_directory="data")
    assert moved.bucket_dir("dt=1", 0) == "/wh/db.db/t/data/dt=1/bucket-0"
    assert moved.manifest_file("m") == PATHS.manifest_file("m")


def test_an_external_path_wins_for_a_file_and_its_companions() -> None:
    inside = data_file("f.parquet")
    outside = data_file("f.parquet", external_path="s3://ext/dt=1/bucket-0/f.parquet")
    assert PATHS.data_file("dt=1", 0, inside) == "/wh/db.db/t/dt=1/bucket-0/f.parquet"
    assert PATHS.data_file("dt=1", 0, outside) == "s3://ext/dt=1/bucket-0/f.parquet"
    assert PATHS.extra_file("dt=1", 0, inside, "f.index") == "/wh/db.db/t/dt=1/bucket-0/f.index"
    assert PATHS.extra_file("dt=1", 0, outside, "f.index") == "s3://ext/dt=1/bucket-0/f.index"
    assert PATHS.index_file("i", "s3://ext/i") == "s3://ext/i"
    assert PATHS.index_file("i") == "/wh/db.db/t/index/i"
