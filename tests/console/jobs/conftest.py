"""Jobs with a stand-in for their engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from console.jobs.models import Job
from console.jobs.spark import Engine
from core import Table
from tests.console.conftest import Caller
from tests.console.jobs.steps import submitted


@pytest.fixture(autouse=True)
def _engine(settings: Any, tmp_path: Path) -> None:
    settings.JOB_MODULE = "tests.console.engine"
    settings.JOBS_FOLDER = tmp_path / "jobs"
    settings.JOB_KILL_GRACE = timedelta(seconds=2)


@pytest.fixture
def submit(alice: Caller, table: Table) -> Callable[..., Job]:
    return partial(submitted, alice)


@pytest.fixture
def engines() -> Iterator[list[Engine]]:
    """Engines that a test started beside a worker; they are gone after it."""
    started: list[Engine] = []
    yield started
    for engine in started:
        engine.close()
