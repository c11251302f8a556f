"""Fixtures that tests of every part use."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import settings
from hypothesis.database import DirectoryBasedExampleDatabase

from tests.hdfs_server import hdfs_server
from tests.hive_metastore import hive_metastore
from tests.interop import peers
from tests.interop.errors import PeerUnavailableError
from tests.interop.spark_paimon import SparkPaimon, start_spark_paimon
from tests.moto_server import moto_server
from tests.s3_server import s3_server
from tests.sharing import longest_first, unit_of
from tests.sql_servers import mariadb_server, postgres_server

P = TypeVar("P")

CORPORA = Path(__file__).parent / "corpora"

# A deadline times the machine, not the law under test. There are examples enough to see what is broken on the
# way; `make fuzz` looks for twenty minutes, with new ones each time.
EXAMPLES = 50
settings.register_profile(
    "default",
    deadline=None,
    max_examples=EXAMPLES,
    database=DirectoryBasedExampleDatabase(Path(__file__).parents[1] / "build" / "hypothesis"),
)
# Laws whose examples take so long that ./test has only a few of them look at this name, too.
settings.register_profile("fuzz", parent=settings.get_profile("default"), max_examples=100)
settings.register_profile("long", parent=settings.get_profile("default"), max_examples=2000)
# The same examples each time: what CI says of a change must not depend on the day's luck.
settings.register_profile("ci", deadline=None, max_examples=EXAMPLES, derandomize=True, database=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "default"))


@pytest.fixture(scope="session")
def corpora() -> Path:
    """The folder of the reference warehouses; read it, never write to it."""
    return CORPORA


@pytest.fixture(scope="session")
def java() -> Iterator[peers.JavaPaimon]:
    """Java Paimon 0.9.0; skips with the reason where it cannot be had."""
    with closing(_peer(peers.java_paimon)) as peer:
        yield peer


@pytest.fixture(scope="session")
def pypaimon() -> Iterator[peers.PyPaimon]:
    """pypaimon 2.1.0; skips with the reason where it cannot be had."""
    with closing(_peer(peers.pypaimon)) as peer:
        yield peer


@pytest.fixture(scope="session")
def newest() -> Iterator[peers.JavaPaimon]:
    """The newest Java Paimon; skips with the reason where nobody has put its jars."""
    with closing(_peer(peers.newest_paimon)) as peer:
        yield peer


@pytest.fixture(scope="session")
def spark_paimon() -> Iterator[SparkPaimon]:
    """Spark SQL of the newest Paimon; skips with the reason where nobody has put its jar."""
    with ExitStack() as running:
        yield _peer(lambda: running.enter_context(start_spark_paimon()))


@pytest.fixture(scope="session")
def s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[str, str]]:
    """Catalog options of a warehouse on a real server of S3; skips with the reason where it cannot be had."""
    with ExitStack() as running:
        yield _peer(lambda: running.enter_context(s3_server(tmp_path_factory.mktemp("s3"))))


@pytest.fixture(scope="session")
def hdfs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[str, str]]:
    """Catalog options of a warehouse in a real HDFS (`make hdfs`)."""
    with ExitStack() as running:
        yield _peer(lambda: running.enter_context(hdfs_server(tmp_path_factory.mktemp("hdfs"))))


@pytest.fixture(scope="session")
def moto(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[str, str]]:
    """The same on another server; skips with the reason where it cannot be had."""
    with ExitStack() as running:
        yield _peer(lambda: running.enter_context(moto_server(tmp_path_factory.mktemp("moto"))))


@pytest.fixture(scope="session")
def postgres() -> Iterator[Mapping[str, str]]:
    """Catalog options of a database in PostgreSQL; skips with the reason where that is not installed."""
    with ExitStack() as running:
        yield _peer(lambda: running.enter_context(postgres_server()))


@pytest.fixture(scope="session")
def mariadb() -> Iterator[Mapping[str, str]]:
    """Catalog options of a database in MariaDB; skips with the reason where that is not installed."""
    with ExitStack() as running:
        yield _peer(lambda: running.enter_context(mariadb_server()))


@pytest.fixture(scope="session")
def hive(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[str, str]]:
    """Catalog options of a Hive metastore; skips with the reason where it cannot be had."""
    with ExitStack() as running:
        yield _peer(lambda: running.enter_context(hive_metastore(tmp_path_factory.mktemp("hive"))))


def _peer(start: Callable[[], P]) -> P:
    try:
        return start()
    except PeerUnavailableError as error:
        pytest.skip(str(error))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """See `tests/sharing.py`."""
    from xdist.scheduler import LoadFileScheduling  # type: ignore[import-untyped]

    class ByUnits(LoadFileScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            return unit_of(nodeid)

    config.option.loadscopereorder = False  # in the order of the processes
    return ByUnits(config, log) if config.getoption("dist") == "loadfile" else None


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if hasattr(config, "workerinput"):
        longest_first(items)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--rewrite", action="store_true", help="renew the expected texts of scripts")


@pytest.fixture(scope="session")
def rewrite(request: pytest.FixtureRequest) -> bool:
    """Whether scripts are to be renewed, see `tests/scripts.py`."""
    return bool(request.config.getoption("--rewrite"))
