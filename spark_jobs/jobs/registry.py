"""Every kind of job: a row a kind."""

from __future__ import annotations

from collections.abc import Mapping

from spark_jobs.jobs.actions import ACTION_JOBS
from spark_jobs.jobs.compact import COMPACT
from spark_jobs.jobs.compact_database import COMPACT_DATABASE
from spark_jobs.jobs.rollback import ROLLBACK
from spark_jobs.jobs.sort_compact import SORT_COMPACT
from spark_jobs.jobs.steps import Job
from spark_jobs.jobs.write import WRITE

JOBS: Mapping[str, Job] = {
    "write": WRITE,
    "compact": COMPACT,
    "compact-database": COMPACT_DATABASE,
    "sort-compact": SORT_COMPACT,
    "rollback": ROLLBACK,
    **ACTION_JOBS,
}
"""How each kind of `core.jobs.KINDS` is done."""
