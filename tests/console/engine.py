"""A stand-in for `spark_jobs` that does a job's work with core alone, and misbehaves when it is told to.

Started as the console starts the engine: `python -m tests.console.engine KIND SPEC --report FILE`.
`ENGINE` says how it ends: `well`, `fail`, `hang` (before it commits), `hang-committed`, `die-committed`,
`tell` (a secret, in its last word), `quote` (values of rows), `chatter` (more than a pipe holds),
`silent` (says nothing), `stubborn` (hangs, and does not stop when it is asked to), `linger` (after its
last word). A file `engine` beside the warehouse says it to engines of a console that runs already.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

from core import open_catalog
from core.commit import TableCommit
from core.jobs import (
    CompactJob,
    Failure,
    JobReport,
    JobSpec,
    Log,
    Progress,
    Result,
    RollbackJob,
    decode_job_spec,
    encode_report,
)
from core.maintenance.rollback import apply_rollback
from core.maintenance.rollback_plan import plan_rollback
from core.write import plan_compaction, run_task


def main() -> None:
    kind, spec_file, _, report_file = sys.argv[1:5]
    spec = decode_job_spec(Path(spec_file).read_bytes())
    told = Path(spec.catalog["warehouse"]).parent / "engine"
    how = told.read_text() if told.exists() else os.environ.get("ENGINE", "well")

    def say(line: JobReport) -> None:
        with open(report_file, "a") as report:
            report.write(encode_report(line) + "\n")

    if how == "silent":
        time.sleep(600)
    if how == "stubborn":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    print(f"running {kind} with {dict(spec.catalog)}", flush=True)
    say(Progress(phase="plan", done=0, total=1, unit="steps"))
    if how == "fail":
        say(Failure(code="storage", message="the disk is gone", transient=True))
        sys.exit(1)
    if how == "tell":
        say(Failure(code="storage", message=f"refused with {dict(spec.catalog)}"))
        sys.exit(1)
    if how == "quote":
        say(Log(level="warning", message="row ROWkey8-00 of dt=ROWpart7-0 is odd"))
        print("the value 'ROWnote9-1' of ROWpart7-1 cannot be cast", flush=True)
        say(Failure(code="engine", message="ROWnote9-1 is no INT", fields={"value": "ROWnote9-1"}))
        sys.exit(1)
    if how == "chatter":
        print("x" * 300_000 + "\n" + "y" * 300_000, flush=True)
    if how in ("hang", "stubborn"):
        time.sleep(600)
    snapshots = work(spec)
    say(Progress(phase="commit", done=1, total=1, unit="commits"))
    if how == "hang-committed":
        time.sleep(600)
    if how == "die-committed":
        os._exit(9)
    say(Log(level="warning", message="nearly done"))
    say(Result(snapshots=snapshots, metrics={"commits": len(snapshots)}))
    if how == "linger":
        time.sleep(600)


def work(spec: JobSpec) -> tuple[str, ...]:
    """Do what the spec asks; the references of the snapshots made."""
    table = open_catalog(spec.catalog).get_table(spec.table)
    if isinstance(spec.work, RollbackJob):
        apply_rollback(table, plan_rollback(table, spec.work.snapshot, spec.work.tag))
        return ()
    assert isinstance(spec.work, CompactJob)
    plan = plan_compaction(table, spec.work.partitions, spec.work.buckets)
    commit = TableCommit(table, spec.commit_user)
    made = commit.commit([run_task(table, task) for task in plan.tasks])
    return tuple(snapshot.reference for snapshot in made)


if __name__ == "__main__":
    main()
