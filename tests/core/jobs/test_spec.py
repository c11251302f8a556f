import json

import pytest

from core.errors import InvalidRequestError
from core.jobs import (
    CompactJob,
    CompactStrategy,
    JobSpec,
    PathSource,
    QuerySource,
    RollbackJob,
    SortCompactJob,
    SortStrategy,
    SourceFormat,
    Work,
    WriteJob,
    WriteMode,
    commit_user,
    decode_job_spec,
    encode_job_spec,
    job_of_commit_user,
    job_spec_from_json,
    job_spec_to_json,
)

PARQUET = PathSource("/data/new", SourceFormat.PARQUET)
WORKS = [
    WriteJob(PARQUET),
    WriteJob(PARQUET, WriteMode.OVERWRITE, static_partition={}),
    WriteJob(PARQUET, WriteMode.OVERWRITE, static_partition={"dt": "2026-11-20", "h": None}),
    WriteJob(QuerySource("select * from v", {"v": PARQUET}), row_kind_column="op"),
    CompactJob(),
    CompactJob(CompactStrategy.MINOR, ({"dt": None}, {"dt": "2026-11-20"}), (0, 3)),
    CompactJob(buckets=(0, "2-5"), where="dt < '2026-11-01'", partition_idle_time="1 d"),
    SortCompactJob(SortStrategy.ZORDER, ("a", "b")),
    RollbackJob(snapshot=37),
    RollbackJob(at="2026-11-22T10:00:00Z"),
    RollbackJob(tag="v1", guard=False, history=("37~a41c", "38~0001")),
]


def spec(**changes: object) -> dict[str, object]:
    base: dict[str, object] = {
        "job_id": "j-812",
        "catalog": {"warehouse": "/wh"},
        "table": "sales.orders",
        "kind": "compact",
        "compact": {},
    }
    return {**base, **changes}


def spec_of(work: Work) -> dict[str, object]:
    told = job_spec_to_json(JobSpec("j-812", {"warehouse": "/wh"}, "sales.orders", work))
    return json.loads(json.dumps(told))


@pytest.mark.parametrize("work", WORKS, ids=lambda work: type(work).__name__)
def test_a_spec_survives_its_text_form(work):
    asked = JobSpec("j-812", {"warehouse": "/wh", "s3.region": "eu"}, "sales.orders$branch_b", work)
    assert decode_job_spec(encode_job_spec(asked)) == asked


def refusals() -> list[tuple[dict[str, object], str]]:
    """What makes a spec a wrong one, and the field that is told."""
    return [
        ({"job_id": "a b"}, "job_id"),
        ({"job_id": None}, "job_id"),
        ({"catalog": {}}, "catalog.warehouse"),
        ({"catalog": {"warehouse": 3}}, "catalog.warehouse"),
        ({"table": "orders"}, "table"),
        ({"table": "sales.orders$files"}, "table"),
        ({"kind": "explode"}, "kind"),
        ({"version": 2}, "version"),
        ({"surprise": 1}, "surprise"),
        ({"compact": {"strategy": "most"}}, "compact.strategy"),
        ({"compact": {"buckets": [-1]}}, "compact.buckets[0]"),
        ({"compact": {"buckets": [0, 2**31]}}, "compact.buckets[1]"),
        ({"compact": {"buckets": [1, "x"]}}, "compact.buckets[1]"),
        ({"compact": {"buckets": [1, "5-2"]}}, "compact.buckets[1]"),
        ({"compact": {"buckets": [1, True]}}, "compact.buckets[1]"),
        ({"compact": {"partitions": [], "where": "dt = '1'"}}, "compact.where"),
        ({"compact": {"partition_idle_time": "a while"}}, "compact.partition_idle_time"),
        ({"compact": {"partitions": [{"dt": 3}]}}, "compact.partitions[0].dt"),
        ({"compact": {"because": "x"}}, "compact.because"),
        ({"kind": "rollback", "rollback": {"snapshot": 1}}, "compact"),
        ({"kind": "rollback", "rollback": {}}, "rollback.snapshot"),
        ({"kind": "rollback", "rollback": {"at": "2026-11-22 10:00:00"}}, "rollback.at"),
        ({"kind": "rollback", "rollback": {"at": "2026-13-22T10:00:00Z"}}, "rollback.at"),
        ({"kind": "sort-compact", "sort-compact": {"strategy": "order"}}, "sort-compact.order_by"),
        ({"kind": "clear-consumers", "clear-consumers": {"including": "("}}, "clear-consumers.including"),
        ({"kind": "delete-tags", "delete-tags": {"names": []}}, "delete-tags.names"),
        ({"kind": "drop-partitions", "drop-partitions": {"partitions": []}}, "drop-partitions.partitions"),
        ({"kind": "compact-database", "compact-database": {}}, "table"),
        ({"kind": "rollback", "rollback": {"snapshot": 1, "tag": "v"}}, "rollback.snapshot"),
        ({"kind": "rollback", "rollback": {"snapshot": True}}, "rollback.snapshot"),
        ({"kind": "write", "write": {}}, "write.source"),
        ({"kind": "write", "write": {"source": {"path": "/x", "format": "xls"}}}, "write.source.format"),
        ({"kind": "write", "write": {"source": {"path": "/x", "sql": "s"}}}, "write.source"),
    ]


@pytest.mark.parametrize(("changes", "named"), refusals())
def test_a_refusal_names_the_field(changes, named):
    with pytest.raises(InvalidRequestError) as refused:
        job_spec_from_json(spec(**changes))
    assert refused.value.fields["field"] == named


def test_a_static_partition_needs_mode_overwrite():
    source = {"path": "/x", "format": "csv"}
    write = {"source": source, "static_partition": {"dt": "1"}}
    with pytest.raises(InvalidRequestError, match="overwrite"):
        job_spec_from_json(spec(kind="write", write=write, compact=None))


@pytest.mark.parametrize("text", ["", "[1]", "{", "null", "[" * 100_000], ids=range(5))
def test_what_is_no_spec_is_refused(text):
    with pytest.raises(InvalidRequestError):
        decode_job_spec(text)


def test_the_commit_user_carries_the_job():
    assert job_of_commit_user(commit_user("j-812")) == "j-812"
    assert job_of_commit_user("flink-a") is None


def test_a_spec_names_its_own_version():
    asked = JobSpec("j", {"warehouse": "/wh"}, "a.b", CompactJob())
    assert json.loads(encode_job_spec(asked))["version"] == 1
