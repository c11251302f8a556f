"""Which external root a new file gets, and what its path is. Spec: 01, 1.3."""

from __future__ import annotations

from collections import Counter

import pytest

from core.errors import InvalidRequestError
from core.io.external_paths import ExternalPaths
from core.options import TableOptions

ROOTS = "file:///a, s3://b/x/,s3a://c"
BUCKET = "/warehouse/db.db/t/dt=1/bucket-0"


def external(strategy: str, roots: str = ROOTS, **options: str) -> ExternalPaths | None:
    spelled = {f"data-file.external-paths.{key.replace('_', '-')}": value for key, value in options.items()}
    given = {"data-file.external-paths": roots, "data-file.external-paths.strategy": strategy}
    return ExternalPaths.of(TableOptions({**given, **spelled}), partition_keys=1)


def roots_of(strategy: str, names: list[str], **options: str) -> list[str]:
    paths = external(strategy, **options)
    assert paths is not None
    return [paths.path(BUCKET, name).removesuffix(f"/dt=1/bucket-0/{name}") for name in names]


NAMES = [f"data-2f7e-{i}.parquet" for i in range(6)]


def test_the_roots_take_turns_and_keep_the_directories_of_the_bucket() -> None:
    found = roots_of("round-robin", NAMES)
    assert set(found) == {"file:///a", "s3://b/x", "s3a://c"}
    assert found[:3] == found[3:]


def test_writers_begin_with_different_roots() -> None:
    assert len(set(roots_of("round-robin", [f"data-{i}-0.parquet" for i in range(20)]))) == 3


def test_only_roots_of_one_scheme_count() -> None:
    assert set(roots_of("specific-fs", NAMES, specific_fs="S3")) == {"s3://b/x"}


def test_weights_are_kept_in_proportion() -> None:
    counts = Counter(roots_of("weight-robin", [f"data-{i}-0.orc" for i in range(2000)], weights="1, 2, 5"))
    assert [round(counts[root] / 250) for root in ("file:///a", "s3://b/x", "s3a://c")] == [1, 2, 5]


def test_folders_of_a_hash_stand_before_the_file() -> None:
    """Worked by hand from murmur3_32 with seed 0 of `foo`, which is f6a5c420: the last 20 bits."""
    paths = external("entropy-inject", roots="s3://b")
    assert paths is not None
    assert paths.path(BUCKET, "foo") == "s3://b/dt=1/bucket-0/0101/1100/0100/00100000/foo"


def test_the_data_directory_is_kept_below_a_root() -> None:
    options = {"data-file.external-paths": "s3://b", "data-file.external-paths.strategy": "round-robin"}
    paths = ExternalPaths.of(TableOptions({**options, "data-file.path-directory": "d/e"}), partition_keys=0)
    assert paths is not None
    assert paths.path("memory://wh/db.db/t/d/e/bucket-1", "f") == "s3://b/d/e/bucket-1/f"


@pytest.mark.parametrize(("strategy", "roots"), [("none", ROOTS), ("round-robin", ""), ("NONE", "/a")])
def test_files_may_stay_in_their_table(strategy: str, roots: str) -> None:
    assert external(strategy, roots) is None


@pytest.mark.parametrize(
    ("strategy", "roots", "options", "message"),
    [
        ("by-mood", ROOTS, {}, "no such strategy"),
        ("round-robin", "s3://b, /a", {}, "needs a scheme.*path=/a"),
        ("specific-fs", ROOTS, {}, "the strategy needs a scheme"),
        ("specific-fs", ROOTS, {"specific_fs": "oss"}, "no external path has the scheme"),
        ("weight-robin", ROOTS, {"weights": "1,2"}, "positive weight"),
        ("weight-robin", ROOTS, {"weights": "1,0,2"}, "positive weight"),
    ],
)
def test_what_paimon_refuses_is_refused(
    strategy: str, roots: str, options: dict[str, str], message: str
) -> None:
    with pytest.raises(InvalidRequestError, match=message):
        external(strategy, roots, **options)
