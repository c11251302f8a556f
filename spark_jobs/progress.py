"""Progress of a Spark stage, from Spark's own status tracker."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from pyspark import SparkContext

from spark_jobs.report import Reporter

_SECONDS = 0.5  # between two looks


@contextmanager
def reporting(context: SparkContext, reporter: Reporter, phase: str, unit: str) -> Iterator[None]:
    """Report the finished tasks of what runs inside the block, as `done` of `total`.

    If the block ends by an error, an interrupt above all, no task of it goes on.
    """
    group = f"lakescope-{phase}-{id(reporter)}"
    context.setJobGroup(group, phase, interruptOnCancel=True)
    finished = threading.Event()
    watcher = threading.Thread(
        target=_watch, args=(context, group, reporter, phase, unit, finished), daemon=True
    )
    watcher.start()
    try:
        yield
    except BaseException:
        context.cancelJobGroup(group)
        raise
    finally:
        finished.set()
        watcher.join()
        context._jsc.clearJobGroup()  # there is no Python call for it


def _watch(
    context: SparkContext, group: str, reporter: Reporter, phase: str, unit: str, finished: threading.Event
) -> None:
    last = (-1, -1)
    while True:
        ended = finished.wait(_SECONDS)
        now = _finished_tasks(context, group)
        if now != last and now[1]:
            reporter.progress(phase, now[0], now[1], unit)
            last = now
        if ended:
            if last == (-1, -1):  # over before the tracker knew of its tasks
                reporter.progress(phase, 0, None, unit)
            return


def _finished_tasks(context: SparkContext, group: str) -> tuple[int, int]:
    """Finished and all tasks of the group's latest stage."""
    tracker = context.statusTracker()
    jobs = (tracker.getJobInfo(job) for job in tracker.getJobIdsForGroup(group))
    numbers = sorted(number for job in jobs if job is not None for number in job.stageIds)
    stages = (tracker.getStageInfo(number) for number in numbers)
    started = [s for s in stages if s is not None and (s.numActiveTasks or s.numCompletedTasks)]
    return (started[-1].numCompletedTasks, started[-1].numTasks) if started else (0, 0)
