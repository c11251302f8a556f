"""Tables that we maintained, as Java reads, writes and expires them; and Java's tables, maintained by us."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.arrow import arrow_schema
from core.catalog import Catalog, open_catalog
from core.commit import TableCommit
from core.maintenance import apply_rollback, plan_rollback
from core.maintenance.branches import (
    apply_create_branch,
    apply_delete_branch,
    apply_fast_forward,
    plan_create_branch,
    plan_delete_branch,
    plan_fast_forward,
)
from core.maintenance.check import Severity, check_table
from core.maintenance.expire import (
    apply_expire_changelogs,
    apply_expire_snapshots,
    plan_expire_changelogs,
    plan_expire_snapshots,
)
from core.maintenance.remove_orphans import apply_remove_orphans, plan_remove_orphans
from core.maintenance.restore import apply_restore, plan_restore
from core.maintenance.tags import (
    apply_create_tag,
    apply_delete_tags,
    apply_rename_tag,
    plan_create_tag,
    plan_delete_tags,
    plan_rename_tag,
)
from core.table import Table
from core.types import DataField, parse_type
from core.write import TableWrite, plan_compaction, run_task
from tests.interop import describe
from tests.interop.describe import insert
from tests.interop.peers import Dump, JavaPaimon
from tests.interop.values import arrow_table, json_rows, same_rows

pytestmark = pytest.mark.interop

COLUMNS = {"id": "INT NOT NULL", "v": "STRING"}
DAY = 86_400_000


def put(table: Table, *rows: tuple[int, str]) -> None:
    with TableWrite(table) as writer:
        writer.write(arrow_table([list(row) for row in rows], arrow_schema(table.schema.fields)))
        TableCommit(table, "ours").commit(writer.prepare_commit())


def compact(table: Table) -> None:
    plan = plan_compaction(table)
    TableCommit(table, "ours").commit([run_task(table, task) for task in plan.tasks])


def later(table: Table) -> int:
    latest = table.snapshots.latest()
    assert latest is not None
    return latest.time_millis + 2 * DAY


def expire(table: Table, keep: int = 1) -> None:
    plan = plan_expire_snapshots(table, now_millis=later(table), retain_min=keep)
    assert plan.expired
    apply_expire_snapshots(table, plan)


def tag(table: Table, name: str, snapshot_id: int) -> None:
    apply_create_tag(table, plan_create_tag(table, name, now_millis=0, snapshot_id=snapshot_id))


def clean(table: Table) -> None:
    apply_remove_orphans(table, plan_remove_orphans(table, now_millis=later(table)))


def expired(table: Table) -> None:
    expire(table, 2)


def expired_with_tags(table: Table) -> None:
    for i in (1, 2, 4):
        tag(table, f"v{i}", i)
    expire(table)
    apply_delete_tags(table, plan_delete_tags(table, ["v4"]))
    apply_rename_tag(table, plan_rename_tag(table, "v1", "first"))


def cleaned(table: Table) -> None:
    apply_rollback(table, plan_rollback(table, 3))
    clean(table)


def branched(table: Table) -> None:
    branch = apply_create_branch(table, plan_create_branch(table, "dev", snapshot_id=2))
    put(branch, (7, "branch"))
    expire(table)
    clean(table)


def forwarded(table: Table) -> None:
    put(apply_create_branch(table, plan_create_branch(table, "dev", snapshot_id=2)), (7, "branch"))
    apply_fast_forward(table, plan_fast_forward(table, "dev"))
    # Java's expiration of main does not see what the branch now shares with it.
    apply_delete_branch(table, plan_delete_branch(table, "dev"))
    clean(table)


def restored(table: Table) -> None:
    apply_restore(table, plan_restore(table, 2, now_millis=0), "ours")
    expire(table)


ACTIONS: dict[str, Callable[[Table], None]] = {
    f.__name__: f for f in (expired, expired_with_tags, cleaned, branched, forwarded, restored)
}
OPTIONS = {"changelogs": {"changelog.num-retained.min": "20", "changelog.num-retained.max": "30"}}


def changelogs(table: Table) -> None:
    expire(table)
    plan = plan_expire_changelogs(table, now_millis=later(table), retain_min=3, retain_max=4)
    assert plan.expired
    apply_expire_changelogs(table, plan)


ACTIONS["changelogs"] = changelogs


def make(catalog: Catalog, name: str) -> Table:
    """Snapshots 1 to 5, the third a compaction."""
    fields = [DataField(i, column, parse_type(text)) for i, (column, text) in enumerate(COLUMNS.items())]
    options = {"bucket": "2", **OPTIONS.get(name, {})}
    table = catalog.create_table(f"ours.{name}", fields, primary_keys=["id"], options=options)
    for i in (1, 2):
        put(table, *((k, f"v{i}") for k in range(i, i + 5)))
    compact(table)
    for i in (4, 5):
        put(table, *((k, f"v{i}") for k in range(i, i + 5)))
    return table


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("warehouse")
    catalog = open_catalog(str(folder))
    catalog.create_database("ours")
    for name, action in ACTIONS.items():
        action(make(catalog, name))
    return folder


@pytest.fixture(scope="module")
def java_dump(java: JavaPaimon, warehouse: Path) -> Dump:
    return java.dump(warehouse)


def rows(table: Table, **how: Any) -> list[Any]:
    return json_rows(table.to_arrow(**how), COLUMNS)


def opened(warehouse: Path, name: str) -> Table:
    return open_catalog(str(warehouse)).get_data_table(name)


def assert_reads_alike(answer: dict[str, Any], table: Table) -> None:
    """The latest state, every snapshot, tag and branch."""
    assert same_rows(answer["latest"]["rows"], rows(table))
    assert (answer["earliestSnapshotId"], answer["latestSnapshotId"]) == (
        table.snapshots.earliest_id(),
        table.snapshots.latest_id(),
    )
    assert list(map(int, answer["atSnapshot"])) == table.snapshots.ids()
    for snapshot_id, found in answer["atSnapshot"].items():
        assert same_rows(found["rows"], rows(table, snapshot_id=int(snapshot_id))), snapshot_id
    assert sorted(answer["atTag"]) == table.tags.names()
    for name, found in answer["atTag"].items():
        assert same_rows(found["rows"], rows(table, tag=name)), name
    assert sorted(answer["branches"]) == table.branches.names()
    for name, found in answer["branches"].items():
        assert same_rows(found["latest"]["rows"], rows(table.with_branch(name))), name


@pytest.mark.parametrize("name", ACTIONS)
def test_java_reads_all_that_is_left(name: str, java_dump: Dump, warehouse: Path) -> None:
    assert_reads_alike(java_dump[f"ours.{name}"], opened(warehouse, f"ours.{name}"))


def is_whole(table: Table) -> bool:
    return not [f for f in check_table(table).findings if f.severity is Severity.ERROR]


def test_java_writes_and_expires_where_we_stopped(java: JavaPaimon, tmp_path: Path) -> None:
    catalog = open_catalog(str(tmp_path))
    catalog.create_database("ours")
    for name, action in ACTIONS.items():
        action(make(catalog, name))
    theirs = [describe.write(insert(50, "theirs")), {"op": "sleep", "ms": 20}]
    steps = [
        *theirs,
        describe.write(insert(51, "too")),
        {"op": "sleep", "ms": 20},
        {"op": "expire", "retain": 1},
    ]
    java.write(describe.warehouse(ours=[describe.existing(name, steps) for name in ACTIONS]), tmp_path)
    answers = java.dump(tmp_path)
    for name in ACTIONS:
        table = opened(tmp_path, f"ours.{name}")
        assert len(table.snapshots.ids()) == 1, name
        assert_reads_alike(answers[f"ours.{name}"], table)
        assert is_whole(table), name


def test_what_java_wrote_reads_the_same_once_we_have_expired_and_cleaned_it(
    java: JavaPaimon, tmp_path: Path
) -> None:
    steps = [describe.write(*(insert(k, f"v{i}") for k in range(i, i + 4))) for i in range(6)]
    steps.insert(3, describe.compact())
    steps.insert(4, describe.tag("mid"))
    steps.append({"op": "mkbranch", "name": "dev", "tag": "mid"})
    options = [{}, {"changelog-producer": "input"}, {"changelog-producer": "lookup"}]
    described = [
        describe.table(
            f"t{i}",
            list(COLUMNS.items()),
            primary_key=["id"],
            options={"bucket": "2", **more},
            operations=steps,
        )
        for i, more in enumerate(options)
    ]
    java.write(describe.warehouse(theirs=described), tmp_path)
    before = java.dump(tmp_path)
    for i in range(len(options)):
        table = opened(tmp_path, f"theirs.t{i}")
        expire(table, 2)
        clean(table)
        assert is_whole(table)
    after = java.dump(tmp_path)
    for i in range(len(options)):
        table, was, now = opened(tmp_path, f"theirs.t{i}"), before[f"theirs.t{i}"], after[f"theirs.t{i}"]
        assert_reads_alike(now, table)
        for kind in ("atSnapshot", "atTag"):
            for root, found in now[kind].items():
                assert same_rows(found["rows"], was[kind][root]["rows"]), (i, root)
        assert [s for s in now["changesOfSnapshot"].values() if "error" in str(s)] == []
