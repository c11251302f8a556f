"""`python -m spark_jobs JOB SPEC.json`, or the same file through spark-submit.

Exit codes: 0 done, 1 failed (the last line of the report says why), 2 wrong usage.
"""

from __future__ import annotations

import argparse
import logging
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

from pyspark.sql import SparkSession

from core import open_catalog
from core.errors import InvalidRequestError, PaimonError
from core.jobs import Failure, JobSpec, Resources, Result, decode_job_spec
from spark_jobs import demo
from spark_jobs.failures import failure_from
from spark_jobs.jobs import compact, rollback, write
from spark_jobs.report import Reporter, ReportHandler
from spark_jobs.resources import settings_of
from spark_jobs.session import open_session
from spark_jobs.ship import core_archive

_SPARK_JOBS = {"write": write.run, "compact": compact.run}


class CancelledError(Exception):
    """The job was asked to end."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a job; the exit code."""
    options = _parser().parse_args(arguments)
    if options.job == "archive":
        print(core_archive(Path(options.folder)))
        return 0
    with ExitStack() as stack:
        output = stack.enter_context(open(options.report, "a", encoding="utf-8")) if options.report else None
        reporter = Reporter(output or sys.stdout)
        stack.enter_context(_log_to(reporter))
        stack.enter_context(_cancelled_by(signal.SIGTERM))
        return _reported(options, reporter)


@contextmanager
def _log_to(reporter: Reporter) -> Iterator[None]:
    """What core logs goes into the report."""
    handler, logger = ReportHandler(reporter), logging.getLogger("core")
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)


@contextmanager
def _cancelled_by(signal_number: int) -> Iterator[None]:
    """The signal ends the job as cancelled, with a last line and a stopped engine."""
    before = signal.signal(signal_number, _cancel)
    try:
        yield
    finally:
        signal.signal(signal_number, before)


def _reported(options: argparse.Namespace, reporter: Reporter) -> int:
    """Run the job and write the one line that ends its report."""
    spec: JobSpec | None = None
    try:
        if options.job == "demo":
            result = _run_demo(options, reporter)
        else:
            spec = _read_spec(options)
            result = _run(spec, options, reporter)
    except (KeyboardInterrupt, CancelledError):
        reporter.failure(Failure(code="cancelled", message="the job was cancelled", latest=_standing(spec)))
        return 1
    except Exception as error:
        failure = failure_from(error)
        if failure.code == "internal":
            logging.getLogger(__name__).exception("the job failed")
        reporter.failure(replace(failure, latest=_standing(spec)))
        return 1
    reporter.result(result)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m spark_jobs", description="Jobs on Paimon tables, run by Spark."
    )
    jobs = parser.add_subparsers(dest="job", required=True, metavar="JOB")
    for name, text in JOBS.items():
        job = jobs.add_parser(name, help=text, description=text)
        if name == "archive":
            job.add_argument("folder", help="where lakescope.zip is put")
            continue
        if name == "demo":
            job.add_argument("warehouse", help="folder in which the demo warehouse is made")
        else:
            job.add_argument("spec", help="JSON file that says what to do (core/jobs/spec.py)")
        job.add_argument(
            "--report", metavar="FILE", help="append the report to FILE instead of standard output"
        )
        job.add_argument("--master", metavar="URL", help="master of the Spark cluster, e.g. local[2]")
        job.add_argument(
            "--conf", metavar="KEY=VALUE", action="append", default=[], type=_setting, help="setting of Spark"
        )
    return parser


JOBS = {
    "write": "write the rows of a path or a query into a table",
    "compact": "merge the files of a table's buckets",
    "rollback": "remove the snapshots after a snapshot or tag",
    "demo": "make the demo warehouse",
    "archive": "make the archive that spark-submit --py-files takes to a cluster",
}


def _setting(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise argparse.ArgumentTypeError(f"{text!r} is not KEY=VALUE")
    return key, value


def _read_spec(options: argparse.Namespace) -> JobSpec:
    try:
        data = Path(options.spec).read_bytes()
    except OSError as error:
        raise InvalidRequestError(
            "the job spec cannot be read", path=options.spec, cause=error.strerror
        ) from error
    spec = decode_job_spec(data)
    if spec.kind != options.job:
        raise InvalidRequestError(
            "the spec is of another job", field="kind", expected=options.job, found=spec.kind
        )
    return spec


def _run(spec: JobSpec, options: argparse.Namespace, reporter: Reporter) -> Result:
    if spec.kind == "rollback":
        return rollback.run(spec, reporter)
    name = f"lakescope {spec.kind} {spec.table} {spec.job_id}"
    with _session(name, options, reporter, spec.spark) as spark:
        return _SPARK_JOBS[spec.kind](spark, spec, reporter)


def _run_demo(options: argparse.Namespace, reporter: Reporter) -> Result:
    with _session("lakescope demo", options, reporter) as spark:
        return demo.run(spark, options.warehouse, reporter)


@contextmanager
def _session(
    name: str, options: argparse.Namespace, reporter: Reporter, resources: Resources | None = None
) -> Iterator[SparkSession]:
    """A session that ends with the job; what the command line says of it comes first."""
    reporter.progress("start", 0, 1, "sessions")
    asked = settings_of(resources) if resources else {}
    spark = open_session(name, master=options.master, settings={**asked, **dict(options.conf)})
    context = spark.sparkContext
    reporter.engine("spark", spark.version, context.applicationId, context.uiWebUrl)
    reporter.progress("start", 1, 1, "sessions")
    try:
        yield spark
    finally:
        spark.stop()


def _standing(spec: JobSpec | None) -> str | None:
    """Where the table stands after a failure, if it can be told."""
    if spec is None:
        return None
    try:
        return rollback.standing(open_catalog(spec.catalog).get_data_table(spec.table))
    except PaimonError as error:
        logging.getLogger(__name__).warning("the table cannot be looked at: %s", error)
        return None


def _cancel(signal_number: int, frame: object) -> NoReturn:
    raise CancelledError


if __name__ == "__main__":
    sys.exit(main())
