"""Every member of every kind of job is wrong once in each way: told by its name, and nothing has changed."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.errors import CommitConflictError, PaimonError
from core.jobs import KINDS, job_spec_from_json, spec_schema
from spark_jobs.jobs.registry import JOBS
from spark_jobs.jobs.steps import Run, told_plan
from tests.docs.test_job_examples import APPENDS, make_files, make_table, spec_text
from tests.spark_jobs.conftest import Recorded
from tests.spark_jobs.jobs import Pickling

SCHEMA = spec_schema()
WRONG: tuple[Any, ...] = (
    0, -1, 1 << 40, 1 << 63, 1.5, True, "", "nope", "../x", "(", [], [None], ["nope"], {}, {"nope": "x"},
    [{"nope": "x"}], "99999999 d", "0 d", "2026-11-22T10:00:00Z", "nope = 1", "id >",
)  # fmt: skip

_Path = tuple[str | int, ...]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wrong")
    make_files(folder)
    for name, keyed in (("keyed", True), ("append", False)):
        make_table(folder / name, keyed=keyed)
    return folder


def members(part: Any, path: _Path) -> Iterator[_Path]:
    """The members of an object, and of what they hold, by their paths."""
    while "$ref" in part:
        part = SCHEMA["$defs"][part["$ref"].rpartition("/")[2]]
    for alternative in part.get("anyOf", part.get("oneOf", ())):
        yield from members(alternative, path)
    for name, member in part.get("properties", {}).items():
        yield (*path, name)
        yield from members(member, (*path, name))
    if "items" in part:
        yield from members(part["items"], (*path, 0))


def changed(spec: Any, path: _Path, value: object) -> Any:
    """The spec with another value at the path; places on the way are made."""
    if not path:
        return value
    first, *rest = path
    kept = copy.copy(spec) if isinstance(spec, dict | list) else [] if first == 0 else {}
    if isinstance(kept, list):
        return [changed(kept[0] if kept else None, tuple(rest), value), *kept[1:]]
    return {**kept, first: changed(kept.get(first), tuple(rest), value)}


def files(folder: Path) -> list[tuple[str, int]]:
    return sorted((str(path), path.stat().st_mtime_ns) for path in folder.rglob("*"))


def is_named(error: PaimonError, path: _Path, value: object) -> bool:
    """Whether a refusal says which member it is about, or what it found there."""
    if isinstance(error, CommitConflictError):
        return True  # of what a plan has shown: the table has moved since
    if str(error.fields.get("field", "")).startswith(f"{path[0]}."):
        return True  # a rule between members names one of them
    told = (*map(str, path[1:]), str(value).strip("[]{}"))
    return any(part in str(error) for part in told if part)


@pytest.mark.parametrize("kind", KINDS)
def test_a_wrong_member_is_named_and_nothing_changes(made: Path, kind: str) -> None:
    warehouse = made / ("append" if issubclass(KINDS[kind], APPENDS) else "keyed")
    spec, before, unnamed = json.loads(spec_text(kind, made, warehouse)), files(made), []
    for path in {(kind, "surprise"), *members(SCHEMA["properties"][kind], (kind,))}:
        for value in WRONG:
            try:
                asked = job_spec_from_json(changed(spec, path, value))
                told_plan(JOBS[kind], Run(asked, Recorded(), Pickling()))
            except PaimonError as error:
                unnamed += [] if is_named(error, path, value) else [(path, value, str(error))]
    assert unnamed == []
    assert files(made) == before
