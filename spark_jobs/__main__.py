"""`python -m spark_jobs KIND SPEC.json`, or the same file through spark-submit.

`plan SPEC.json`, or `--plan` behind a kind, says what would be done and does nothing.
Exit codes: 0 done, 1 failed (the last line of the report says why), 2 wrong usage or a wrong spec.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any, NoReturn

from pyspark.sql import SparkSession

from core import open_catalog
from core.errors import InvalidRequestError, PaimonError
from core.jobs import (
    KINDS,
    Failure,
    JobSpec,
    Resources,
    Result,
    decode_job_spec,
    failure_of,
    spec_schema,
)
from core.jobs.declared import meaning_of
from core.maintenance.facts import lines_of, one_line
from spark_jobs import demo
from spark_jobs.executors import InProcess, SparkExecutors
from spark_jobs.failures import failure_from, unquoted
from spark_jobs.jobs.registry import JOBS
from spark_jobs.jobs.steps import Run, perform, standing, told_plan
from spark_jobs.report import Reporter, ReportHandler
from spark_jobs.resources import settings_of
from spark_jobs.session import open_session
from spark_jobs.ship import core_archive

OTHERS: Mapping[str, str] = {
    "plan": "say what a job would do and why, of any kind; nothing is started or changed",
    "schema": "print the JSON Schema of specs",
    "demo": "make the demo warehouse",
    "archive": "make the archive that spark-submit --py-files takes to a cluster",
}
"""What the command does besides jobs."""


class CancelledError(KeyboardInterrupt):
    """The job was asked to end.

    A kind of interrupt, because py4j passes on nothing else that comes while it waits for the JVM: other
    errors look like a broken connection.
    """


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a job, or say what it would do; the exit code."""
    options = _parser().parse_args(arguments)
    if options.job == "archive":
        print(core_archive(Path(options.folder)))
        return 0
    if options.job == "schema":
        print(json.dumps(spec_schema(), indent=2, ensure_ascii=False))
        return 0
    if options.job == "plan" or getattr(options, "plan", False):
        return _planned(options)
    with ExitStack() as stack:
        output = stack.enter_context(open(options.report, "a", encoding="utf-8")) if options.report else None
        reporter = Reporter(output or sys.stdout)
        stack.enter_context(_log_to(reporter))
        asked_to_end = stack.enter_context(cancelled_by(signal.SIGTERM))
        return _reported(options, reporter, asked_to_end)


def _planned(options: argparse.Namespace) -> int:
    """Print what the job would do, as text or as one JSON object."""
    reporter = Reporter(sys.stderr)
    try:
        spec = _read_spec(options)
    except InvalidRequestError as error:
        return _refused(options, error)
    try:
        told = told_plan(JOBS[spec.kind], Run(spec, reporter, InProcess(reporter)))
    except PaimonError as error:
        print(f"{options.spec}: {error}", file=sys.stderr)
        return 1
    print(json.dumps(told, ensure_ascii=False) if options.format == "json" else _text(told))
    return 0


def _text(told: Mapping[str, Any]) -> str:
    """A plan for people."""
    lines = [f"{told['kind']} of {told['table'] or 'the warehouse'}: {told['summary']}"]
    if told["finished_before"]:
        lines.append(f"  nothing is to be done: {told['finished_before']}")
    else:
        lines += [f"  {line}" for line in lines_of(told["plan"])]
    return "\n".join([*lines, "nothing has been done: this is a plan"])


def _refused(options: argparse.Namespace, error: InvalidRequestError) -> int:
    """Say what is wrong with a spec, the field first."""
    others = {name: value for name, value in error.fields.items() if name != "field"}
    field = f"{error.fields['field']}: " if "field" in error.fields else ""
    found = f" ({one_line(others)})" if others else ""
    print(f"{options.spec}: {field}{error.what}{found}", file=sys.stderr)
    return 2


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
def cancelled_by(signal_number: int) -> Iterator[Event]:
    """The signal ends the job as cancelled, with a last line and a stopped engine; whether it came."""
    came = Event()

    def cancel(signal_number: int, frame: object) -> NoReturn:
        came.set()
        raise CancelledError

    before = signal.signal(signal_number, cancel)
    try:
        yield came
    finally:
        signal.signal(signal_number, before)


def _reported(options: argparse.Namespace, reporter: Reporter, asked_to_end: Event) -> int:
    """Run the job and write the one line that ends its report."""
    spec: JobSpec | None = None
    try:
        if options.job == "demo":
            result = _run_demo(options, reporter)
        else:
            try:
                spec = _read_spec(options)
            except InvalidRequestError as error:
                reporter.failure(failure_of(error))
                return _refused(options, error)
            result = _run(spec, options, reporter)
    except (KeyboardInterrupt, Exception) as error:
        # After the signal a connection to the JVM may break on the way out: that is no other failure.
        if isinstance(error, KeyboardInterrupt) or asked_to_end.is_set():
            failure = Failure(code="cancelled", message="the job was cancelled")
        else:
            failure = failure_from(error)
            if spec is not None and spec.kind == "refresh":  # whoever sees the job may not read its sources
                failure = unquoted(failure)
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
    for name, kind in KINDS.items():
        job = jobs.add_parser(name, help=meaning_of(kind), description=meaning_of(kind))
        job.add_argument("spec", help="JSON file that says what to do (docs/jobs.md)")
        job.add_argument("--plan", action="store_true", help="only say what would be done, and why")
        _add_format(job)
        _add_engine(job)
    for name, text in OTHERS.items():
        job = jobs.add_parser(name, help=text, description=text)
        if name == "plan":
            job.add_argument("spec", help="JSON file of a job of any kind")
            _add_format(job)
        elif name == "demo":
            job.add_argument("warehouse", help="folder in which the demo warehouse is made")
            _add_engine(job)
        elif name == "archive":
            job.add_argument("folder", help="where lakescope.zip is put")
    return parser


def _add_format(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--format", choices=("text", "json"), default="text", help="how a plan is printed")


def _add_engine(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--report", metavar="FILE", help="append the report to FILE, not standard output")
    parser.add_argument("--master", metavar="URL", help="master of the Spark cluster, e.g. local[2]")
    parser.add_argument(
        "--conf", metavar="KEY=VALUE", action="append", default=[], type=_setting, help="setting of Spark"
    )


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
    if options.job not in (spec.kind, "plan"):
        raise InvalidRequestError(
            "the spec is of another job", field="kind", expected=options.job, found=spec.kind
        )
    return spec


def _run(spec: JobSpec, options: argparse.Namespace, reporter: Reporter) -> Result:
    """Run a job; a session is opened if it comes to work for executors, and stopped in the end."""
    name = f"lakescope {spec.kind} {spec.table} {spec.job_id}"
    with ExitStack() as stack:
        executors = SparkExecutors(
            lambda: stack.enter_context(_session(name, options, reporter, spec.spark)),
            reporter,
            partial(_give_up, reporter),
        )
        return perform(JOBS[spec.kind], Run(spec, reporter, executors))


def _give_up(reporter: Reporter, failure: Failure) -> NoReturn:
    """End this process without a word to the JVM, which ends when its pipe does: it answers no more."""
    reporter.failure(failure)
    os._exit(1)


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
    if spec is None or not spec.table or not JOBS[spec.kind].has_table:
        return None
    try:
        return standing(open_catalog(spec.catalog).get_data_table(spec.table))
    except PaimonError as error:
        logging.getLogger(__name__).warning("the table cannot be looked at: %s", error)
        return None


if __name__ == "__main__":
    sys.exit(main())
