"""What the tests ask of the driver: the jobs as they run anywhere, on tables whose store may strike."""

from __future__ import annotations

import io
from functools import partial
from pathlib import Path
from typing import Any

import core
from core import Table, open_catalog
from core.jobs import CompactJob, JobSpec, Progress, RollbackJob, WriteJob, commit_user
from spark_jobs.datasource import distributed
from spark_jobs.jobs import rollback
from spark_jobs.jobs.compact import compact_table
from spark_jobs.jobs.write import write_frame
from spark_jobs.report import Reporter
from tests.spark_jobs.cluster.driver import session
from tests.spark_jobs.cluster.striking import Striking, rows_then_strike, strike

ROWS = "SELECT id AS k, concat('new-', id) AS v FROM range({})"


def where_core_is() -> list[str]:
    """The file of core in each executor."""
    found = session().sparkContext.parallelize(range(4), 4).map(lambda _: core.__file__)
    return sorted(set(found.collect()))


def write(folder: Path, rows: int, strikes: bool = False) -> Any:
    """Upsert rows 0 to `rows`."""
    table = _opened(folder, strikes)
    frame = session().sql(ROWS.format(rows))
    user = commit_user("write")
    return dict(write_frame(session(), table, frame, _WRITE, user=user, reporter=_reporter()).metrics)


_WRITE = WriteJob(source=None)  # type: ignore[arg-type] # the rows are at hand


def compact(folder: Path, strikes: bool = False) -> Any:
    table, user = _opened(folder, strikes), commit_user("compact")
    return dict(compact_table(session(), table, CompactJob(), user=user, reporter=_reporter()).metrics)


def save(folder: Path, rows: int, strikes: bool = False) -> None:
    """Write through the sink."""
    place = _opened(folder).location
    frame = distributed(session().sql(ROWS.format(rows)), place)
    if strikes:
        frame = frame.mapInArrow(partial(rows_then_strike, folder=folder), frame.schema)
    frame.write.format("lakescope").mode("append").save(place)


def count(folder: Path) -> tuple[int, int]:
    """Rows through the source: how many, and how many keys."""
    frame = session().read.format("lakescope").load(_opened(folder).location)
    found = frame.selectExpr("count(*) AS n", "count(DISTINCT k) AS keys").head()
    assert found is not None
    return found.n, found.keys


def roll_back(folder: Path, strikes: bool = False) -> Any:
    """Back to snapshot 1; it may be held when the first snapshot has gone."""
    work = RollbackJob(snapshot=1, guard=False)
    spec = JobSpec("rollback", {"warehouse": str(folder)}, "db.t", work)
    return dict(rollback.run(spec, _Striking(folder) if strikes else _reporter()).metrics)


class _Striking(Reporter):
    def __init__(self, folder: Path) -> None:
        super().__init__(io.StringIO())
        self._folder = folder

    def send(self, line: Any) -> None:
        super().send(line)
        if isinstance(line, Progress) and line.phase == "rollback" and line.done == 1:
            strike(self._folder)


def _opened(folder: Path, strikes: bool = False) -> Table:
    table = open_catalog(str(folder)).get_data_table("db.t")
    if not strikes:
        return table
    return Table(Striking(table.io, folder), table.location, table.identifier)


def _reporter() -> Reporter:
    return Reporter(io.StringIO())
