"""docs/jobs.md names every job, field and line, and its examples are jobs."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from pathlib import Path

import pytest

from core.jobs import (
    KINDS,
    Engine,
    Failure,
    Log,
    PathSource,
    Progress,
    QuerySource,
    Resources,
    Result,
    SourceFormat,
    WriteMode,
    decode_job_spec,
    members,
)
from core.jobs.declared import meaning_of
from spark_jobs.__main__ import OTHERS
from spark_jobs.jobs.registry import JOBS

TEXT = (Path(__file__).parents[2] / "docs" / "jobs.md").read_text(encoding="utf-8")


def section(kind: str) -> str:
    """What is told under the heading of a kind."""
    return re.split(r"\n##", TEXT.split(f"\n### {kind}\n", 1)[1], maxsplit=1)[0]


def example(kind: str) -> str:
    return section(kind).split("```json\n", 1)[1].split("```", 1)[0]


@pytest.mark.parametrize(
    "kind",
    [PathSource, QuerySource, Resources, Engine, Progress, Log, Result, Failure],
    ids=lambda kind: kind.__name__,
)
def test_every_field_is_told(kind: type) -> None:
    missing = [f.name for f in fields(kind) if f"`{f.name}`" not in TEXT and f'"{f.name}"' not in TEXT]
    assert not missing


def test_every_job_and_choice_is_told() -> None:
    words = [*OTHERS, *SourceFormat, *WriteMode]
    assert [word for word in words if str(word) not in TEXT] == []


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_a_row_and_a_section_with_its_fields(kind: str) -> None:
    assert f"| [`{kind}`](#{kind}) | {meaning_of(KINDS[kind])} |" in TEXT
    told = section(kind)
    assert [
        m.name for m in members(KINDS[kind]) if f"| `{m.name}` |" not in told or m.meaning not in told
    ] == []


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_an_example_that_is_legal(kind: str) -> None:
    spec = decode_job_spec(example(kind))
    assert (spec.kind, json.loads(example(kind))["kind"]) == (kind, kind)


def test_every_kind_can_be_done() -> None:
    assert JOBS.keys() == KINDS.keys()
