"""docs/jobs.md names every job, field and line."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from core.jobs import (
    CompactJob,
    Engine,
    Failure,
    Log,
    PathSource,
    Progress,
    QuerySource,
    Result,
    RollbackJob,
    SourceFormat,
    WriteJob,
    WriteMode,
)
from spark_jobs.__main__ import JOBS

TEXT = (Path(__file__).parents[2] / "docs" / "jobs.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "kind",
    [WriteJob, CompactJob, RollbackJob, PathSource, QuerySource, Engine, Progress, Log, Result, Failure],
    ids=lambda kind: kind.__name__,
)
def test_every_field_is_told(kind: type) -> None:
    missing = [f.name for f in fields(kind) if f"`{f.name}`" not in TEXT and f'"{f.name}"' not in TEXT]
    assert not missing


def test_every_job_and_choice_is_told() -> None:
    words = [*JOBS, *SourceFormat, *WriteMode]
    assert [word for word in words if str(word) not in TEXT] == []
