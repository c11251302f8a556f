"""What a job is asked and what it reports, as JSON: the whole contract between console and Spark.

The console writes a `JobSpec` to a file and starts `python -m spark_jobs KIND FILE`; the job
answers with one JSON object a line: any number of `Engine`, `Progress` and `Log` lines, then
exactly one `Result` or one `Failure`. A job that dies without either is judged by looking at
the table: its snapshots carry `commit_user(job_id)`.
"""

from core.jobs.report import (
    ERROR_CODES,
    Engine,
    Failure,
    JobReport,
    Log,
    Progress,
    Result,
    decode_report,
    encode_report,
    failure_of,
)
from core.jobs.resources import Resources
from core.jobs.spec import (
    SPEC_VERSION,
    CompactJob,
    CompactStrategy,
    JobSpec,
    PathSource,
    QuerySource,
    RollbackJob,
    SourceFormat,
    WriteJob,
    WriteMode,
    commit_user,
    decode_job_spec,
    encode_job_spec,
    job_of_commit_user,
    job_spec_from_json,
    job_spec_to_json,
)

__all__ = [
    "ERROR_CODES",
    "SPEC_VERSION",
    "CompactJob",
    "CompactStrategy",
    "Engine",
    "Failure",
    "JobReport",
    "JobSpec",
    "Log",
    "PathSource",
    "Progress",
    "QuerySource",
    "Resources",
    "Result",
    "RollbackJob",
    "SourceFormat",
    "WriteJob",
    "WriteMode",
    "commit_user",
    "decode_job_spec",
    "decode_report",
    "encode_job_spec",
    "encode_report",
    "failure_of",
    "job_of_commit_user",
    "job_spec_from_json",
    "job_spec_to_json",
]
