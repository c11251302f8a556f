"""One empty catalog for each test and kind."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.catalog import Catalog, open_catalog
from tests.core.catalog.contract.kinds import KINDS, Kind
from tests.interop.rest_server import RestServer


def _parameter(kind: Kind) -> Any:
    is_left_out = kind.is_at_length and "LAKESCOPE_INTEGRATION" not in os.environ
    marks = [pytest.mark.skip(reason="half a minute: make integration runs it")] if is_left_out else []
    return pytest.param(kind, id=kind.name, marks=marks)


@pytest.fixture(params=[_parameter(kind) for kind in KINDS])
def kind(request: pytest.FixtureRequest) -> Kind:
    found: Kind = request.param
    return found


@pytest.fixture(scope="session")
def rest_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RestServer]:
    """The console's web server, for as many warehouses as there are tests."""
    with RestServer(tmp_path_factory.mktemp("rest")) as running:
        yield running


@pytest.fixture
def options(request: pytest.FixtureRequest, kind: Kind, tmp_path: Path) -> dict[str, str]:
    """Options of a catalog with nothing in it."""
    return dict(kind.opens(request, str(tmp_path), f"c{uuid.uuid4().hex[:12]}"))


@pytest.fixture
def catalog(options: dict[str, str]) -> Iterator[Catalog]:
    """A catalog with the empty database `db`."""
    made = open_catalog(options)
    made.create_database("db")
    yield made
    close = getattr(made, "close", None)
    if close is not None:
        close()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """How many tests of the contract each kind has passed."""
    counts: dict[str | None, dict[str, int]] = {}
    for outcome in ("passed", "failed", "skipped"):
        for report in terminalreporter.stats.get(outcome, ()):
            of_kind = counts.setdefault(_kind_of(str(getattr(report, "nodeid", ""))), {})
            of_kind[outcome] = of_kind.get(outcome, 0) + 1
    counts.pop(None, None)
    if counts:
        terminalreporter.section("contract of catalogs")
    for kind in (kind.name for kind in KINDS if kind.name in counts):
        found = ", ".join(f"{number} {outcome}" for outcome, number in counts[kind].items())
        terminalreporter.write_line(f"{kind}: {found}")


def _kind_of(test: str) -> str | None:
    """The longest name that the parameters of a test of the contract contain."""
    parameters = test.partition("[")[2] if "/catalog/contract/" in test else ""
    return max((kind.name for kind in KINDS if kind.name in parameters), key=len, default=None)
