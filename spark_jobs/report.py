"""Where a job's report goes: JSON lines to a file or to standard output."""

from __future__ import annotations

import logging
import threading
import time
from dataclasses import replace
from typing import TextIO

from core.jobs import Engine, Failure, JobReport, Log, Progress, Result, encode_report


class Reporter:
    """Writes the lines of one job's report, each at once; may be used from several threads."""

    def __init__(self, output: TextIO) -> None:
        self._output = output
        self._lock = threading.Lock()

    def send(self, line: JobReport) -> None:
        """Write a line, stamped with the present time."""
        text = encode_report(replace(line, time_millis=int(time.time() * 1000)))
        with self._lock:
            self._output.write(text + "\n")
            self._output.flush()

    def engine(self, name: str, version: str, application_id: str, ui_url: str | None) -> None:
        self.send(Engine(name=name, version=version, application_id=application_id, ui_url=ui_url))

    def progress(self, phase: str, done: int, total: int | None, unit: str) -> None:
        self.send(Progress(phase=phase, done=done, total=total, unit=unit))

    def log(self, message: str, level: str = "info") -> None:
        self.send(Log(level=level, message=message))

    def result(self, result: Result) -> None:
        self.send(result)

    def failure(self, failure: Failure) -> None:
        self.send(failure)


class ReportHandler(logging.Handler):
    """Sends log records of core and of the jobs as lines of the report."""

    def __init__(self, reporter: Reporter) -> None:
        super().__init__(logging.INFO)
        self._reporter = reporter

    def emit(self, record: logging.LogRecord) -> None:
        self._reporter.log(self.format(record), record.levelname.lower())
