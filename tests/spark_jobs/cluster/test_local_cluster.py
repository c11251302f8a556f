"""Every job, the source and the sink on `local-cluster`, whose executors know nothing of ours."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pyspark
import pytest

from core import Table
from core.jobs import KINDS, Resources
from spark_jobs.java import JavaNotFoundError, find_java_home
from spark_jobs.resources import settings_of
from spark_jobs.session import cache_folder
from tests.docs.test_job_examples import APPENDS, make_files, make_table, spec_text
from tests.spark_jobs.cluster import at_length, jobs
from tests.spark_jobs.cluster import driver as sessions
from tests.spark_jobs.cluster.driver import Driver
from tests.spark_jobs.cluster.striking import FAIL, STRUCK
from tests.spark_jobs.cluster.table import KEYS, NEW, OLD, check_whole

pytestmark = [pytest.mark.spark, at_length]


@pytest.fixture
def local_cluster(driver: Driver, place: Path) -> Driver:
    """The driver with a session on two executors of one core each."""
    try:
        find_java_home(os.environ, cache_folder(os.environ))
    except JavaNotFoundError as error:
        pytest.skip(str(error))
    asked = settings_of(Resources(executor_memory="512m"))
    application = driver.run(sessions.open_on, "local-cluster[2,1,1024]", place, asked)
    driver.folders.add(Path(pyspark.__file__).parent / "work" / application)  # Spark asks nobody where
    return driver


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the examples of docs/jobs.md name: a table with a key, one without, and files of sources."""
    folder = tmp_path_factory.mktemp("examples")
    make_files(folder)
    for name, keyed in (("keyed", True), ("append", False)):
        make_table(folder / name, keyed=keyed)
    return folder


def test_executors_get_our_packages_with_the_job(local_cluster: Driver) -> None:
    (found,) = {Path(file).parts[-3] for file in local_cluster.run(jobs.where_core_is)}
    assert found == "lakescope.zip"


@pytest.mark.parametrize("kind", KINDS)
def test_a_job_does_there_what_its_documentation_says(
    local_cluster: Driver, made: Path, tmp_path: Path, kind: str
) -> None:
    source = made / ("append" if issubclass(KINDS[kind], APPENDS) else "keyed")
    warehouse = Path(shutil.copytree(source, tmp_path / "wh"))
    local_cluster.run(jobs.perform_spec, spec_text(kind, made, warehouse))


def test_the_sink_and_the_source_give_each_row_once(
    local_cluster: Driver, table: Table, tmp_path: Path
) -> None:
    local_cluster.run(jobs.save, tmp_path, KEYS)
    assert local_cluster.run(jobs.count, tmp_path) == (KEYS, KEYS)
    assert check_whole(table, NEW) == 0


@pytest.mark.parametrize(
    ("action", "arguments", "rows"),
    [(jobs.write, (KEYS,), NEW), (jobs.save, (KEYS,), NEW), (jobs.compact, (), OLD)],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_a_task_that_failed_is_tried_again(
    local_cluster: Driver, table: Table, tmp_path: Path, action, arguments, rows
) -> None:
    local_cluster.run(action, tmp_path, *arguments, FAIL)
    assert (tmp_path / STRUCK).exists()
    check_whole(table, rows)
