"""Every kind of job: a row a kind."""

from __future__ import annotations

from collections.abc import Mapping

from spark_jobs.jobs.actions import ACTION_JOBS
from spark_jobs.jobs.alter_options import ALTER_OPTIONS
from spark_jobs.jobs.analyze import ANALYZE
from spark_jobs.jobs.change_rows import DELETE, MERGE_INTO, UPDATE
from spark_jobs.jobs.clone import CLONE
from spark_jobs.jobs.compact import COMPACT
from spark_jobs.jobs.compact_database import COMPACT_DATABASE
from spark_jobs.jobs.migrate import MIGRATE
from spark_jobs.jobs.read_view import READ_VIEW
from spark_jobs.jobs.refresh import REFRESH
from spark_jobs.jobs.remove_orphan_files import REMOVE_ORPHAN_FILES
from spark_jobs.jobs.rescale import RESCALE
from spark_jobs.jobs.rewrite_file_index import REWRITE_FILE_INDEX
from spark_jobs.jobs.rollback import ROLLBACK
from spark_jobs.jobs.sort_compact import SORT_COMPACT
from spark_jobs.jobs.steps import Job
from spark_jobs.jobs.verify import VERIFY
from spark_jobs.jobs.write import WRITE

JOBS: Mapping[str, Job] = {
    "write": WRITE,
    "delete": DELETE,
    "update": UPDATE,
    "merge-into": MERGE_INTO,
    "refresh": REFRESH,
    "read-view": READ_VIEW,
    "compact": COMPACT,
    "compact-database": COMPACT_DATABASE,
    "sort-compact": SORT_COMPACT,
    "rescale": RESCALE,
    "analyze": ANALYZE,
    "alter-options": ALTER_OPTIONS,
    "rewrite-file-index": REWRITE_FILE_INDEX,
    "rollback": ROLLBACK,
    **ACTION_JOBS,
    "remove-orphan-files": REMOVE_ORPHAN_FILES,
    "verify": VERIFY,
    "clone": CLONE,
    "migrate": MIGRATE,
}
"""How each kind of `core.jobs.KINDS` is done."""
