"""The engines that take turns: each carries out operations of a description, and reads."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from core.arrow import arrow_schema
from core.catalog import open_catalog
from core.compact import Strategy
from core.maintenance import apply_rollback, plan_rollback
from core.maintenance.branches import (
    apply_create_branch,
    apply_delete_branch,
    apply_fast_forward,
    plan_create_branch,
    plan_delete_branch,
    plan_fast_forward,
)
from core.maintenance.expire import apply_expire_snapshots, plan_expire_snapshots
from core.maintenance.remove_orphans import apply_remove_orphans, plan_remove_orphans
from core.maintenance.restore import apply_restore, plan_restore
from core.maintenance.tags import apply_create_tag, apply_delete_tags, plan_create_tag, plan_delete_tags
from core.schema import AddColumn, DropColumn, RenameColumn, UpdateColumnPosition, UpdateColumnType
from core.schema.changes import Move, Position, SchemaChange
from core.table import Table
from core.types import DataField, parse_type, type_to_text
from tests.interop.case import KINDS
from tests.interop.describe import Operation
from tests.interop.session import Session
from tests.interop.spark_paimon import SparkPaimon
from tests.interop.turns.steps import CHANCES
from tests.interop.values import arrow_table, json_rows

Options = Mapping[str, str]
Rows = list[list[Any]]
DAY = 86_400_000  # milliseconds


class Engine(Protocol):
    """One that takes turns."""

    able: Collection[str]  # of steps.CHANCES
    deletes: bool  # writes rows of kind -D

    def do(self, table: str, operation: Operation) -> None: ...

    def read(self, table: str, options: Options) -> tuple[list[str], Rows]:
        """Columns and rows of a table, or of its branch `db.t$branch_b`; `options` are Paimon's `scan.*`."""
        ...


# ------------------------------------------------------------------------------------------- ours


@dataclass(frozen=True)
class Lakescope:
    warehouse: Path
    able: Collection[str] = frozenset(CHANCES)
    deletes: bool = True

    def table(self, name: str) -> Table:
        return open_catalog(str(self.warehouse)).get_data_table(name)

    def create(
        self,
        name: str,
        fields: Sequence[DataField],
        keys: Sequence[str],
        parts: Sequence[str],
        options: Options,
    ) -> None:
        catalog = open_catalog(str(self.warehouse))
        catalog.create_database(name.partition(".")[0], ignore_if_exists=True)
        catalog.create_table(name, fields, primary_keys=keys, partition_keys=parts, options=options)

    def do(self, table: str, operation: Operation) -> None:
        opened = self.table(table)
        branch = operation.get("branch")
        _OURS[operation["op"]](opened.with_branch(branch) if branch else opened, operation)

    def read(self, table: str, options: Options) -> tuple[list[str], Rows]:
        opened = self.table(table).with_options(options)
        read = opened.to_arrow()
        types = {field.name: type_to_text(field.type) for field in opened.plan().schema.fields}
        return read.column_names, json_rows(read, types)


def _write(table: Table, operation: Operation) -> None:
    over = operation.get("overwrite")
    batch = arrow_table([row[1:] for row in operation["rows"]], arrow_schema(table.schema.fields))
    kinds = [KINDS[row[0]] for row in operation["rows"]] if table.schema.primary_keys else None
    commit = table.new_commit("lakescope")
    with table.new_write(overwrite=over is not None) as writer:
        writer.write(batch, kinds)
        messages = writer.prepare_commit()
        if over is None:
            commit.commit(messages)
        else:
            commit.overwrite(messages, over)


def _delete_rows(table: Table, operation: Operation) -> None:
    plan = table.plan_delete(f"{operation['col']} IN ({', '.join(map(str, operation['in']))})")
    table.new_commit("lakescope").commit(table.apply_changes(plan))


def _compact(table: Table, operation: Operation) -> None:
    plan = table.plan_compaction(strategy=Strategy.FULL if operation["full"] else Strategy.MINOR)
    table.new_commit("lakescope").commit([table.run_compaction(task) for task in plan.tasks])


def _later(table: Table) -> int:
    latest = table.snapshots.latest()
    assert latest is not None
    return latest.time_millis + 2 * DAY


def _expire(table: Table, operation: Operation) -> None:
    later, kept = _later(table), operation["retain"]
    plan = plan_expire_snapshots(
        table, now_millis=later, retain_min=kept, retain_max=kept, older_than_millis=later
    )
    apply_expire_snapshots(table, plan)


def _tag(table: Table, operation: Operation) -> None:
    plan = plan_create_tag(table, operation["name"], now_millis=0, snapshot_id=operation["snapshot"])
    apply_create_tag(table, plan)


def _branch(table: Table, operation: Operation) -> None:
    apply_create_branch(table, plan_create_branch(table, operation["name"], tag=operation["tag"]))


def _fast_forward(table: Table, operation: Operation) -> None:
    # Java's expiration of main does not see what the branch then shares with it.
    apply_fast_forward(table, plan_fast_forward(table, operation["name"]))
    apply_delete_branch(table, plan_delete_branch(table, operation["name"]))


def _restore(table: Table, operation: Operation) -> None:
    apply_restore(table, plan_restore(table, operation["snapshot"], now_millis=0), "lakescope")


def _remove_orphans(table: Table, operation: Operation) -> None:
    apply_remove_orphans(table, plan_remove_orphans(table, now_millis=_later(table)))


_CHANGES: Mapping[str, Callable[..., SchemaChange]] = {
    "add": lambda name, kind: AddColumn((name,), parse_type(kind)),
    "drop": lambda name: DropColumn((name,)),
    "rename": lambda name, new: RenameColumn((name,), new),
    "type": lambda name, kind: UpdateColumnType((name,), parse_type(kind)),
    "first": lambda name: UpdateColumnPosition((name,), Move(Position.FIRST)),
}
_OURS: Mapping[str, Callable[[Table, Operation], object]] = {
    "write": _write,
    "dvdelete": _delete_rows,
    "compact": _compact,
    "expire": _expire,
    "tag": _tag,
    "deltag": lambda table, op: apply_delete_tags(table, plan_delete_tags(table, [op["name"]])),
    "mkbranch": _branch,
    "rmbranch": lambda table, op: apply_delete_branch(table, plan_delete_branch(table, op["name"])),
    "fastforward": _fast_forward,
    "rollback": lambda table, op: apply_rollback(table, plan_rollback(table, op["snapshot"])),
    "restore": _restore,
    "orphans": _remove_orphans,
    "alter": lambda table, op: table.alter([_CHANGES[kind](*change) for kind, *change in op["changes"]]),
    "droppartition": lambda table, op: table.new_commit("lakescope").truncate_partitions(op["partitions"]),
    "truncate": lambda table, op: table.new_commit("lakescope").truncate(),
}


# ----------------------------------------------------------------------------------------- others


@dataclass(frozen=True)
class Served:
    """Java Paimon or pypaimon, through a session."""

    session: Session
    able: Collection[str]
    deletes: bool

    def do(self, table: str, operation: Operation) -> None:
        self.session.do(table, operation)
        if operation["op"] == "fastforward":
            self.session.do(table, {**operation, "op": "rmbranch"})

    def read(self, table: str, options: Options) -> tuple[list[str], Rows]:
        answer = self.session.read(table, options)
        assert "rows" in answer, answer
        kind = int(answer["columns"][0] == "rowkind")  # Java shows it
        return answer["columns"][kind:], [row[kind:] for row in answer["rows"]]


JAVA = frozenset(CHANCES) - {"delete rows", "branch of an expired snapshot", "restore", "remove orphans"}
# It does neither compact nor expire.
PYPAIMON = JAVA - {"compact", "expire", "drop partition", "truncate", "fast forward"}


@dataclass(frozen=True)
class SparkSql:
    """Spark SQL of the newest Paimon."""

    spark: SparkPaimon
    warehouse: Path
    able: Collection[str] = frozenset(CHANCES) - {"restore"}
    deletes: bool = False

    def do(self, table: str, operation: Operation) -> None:
        self.spark.run(self.warehouse, *_STATEMENTS[operation["op"]](table, operation))

    def read(self, table: str, options: Options) -> tuple[list[str], Rows]:
        version = {"scan.snapshot-id": " VERSION AS OF {}", "scan.tag-name": " VERSION AS OF '{}'"}
        clause = "".join(version[key].format(value) for key, value in options.items())
        read = self.spark.rows(self.warehouse, f"SELECT * FROM {_quoted(table)}{clause}")
        return read.column_names, json_rows(read)


def _quoted(table: str) -> str:
    database, _, name = table.partition(".")
    return f"{database}.`{name}`"


def _literal(value: Any) -> str:
    if value is None:
        return "NULL"
    return "'" + value.replace("'", "\\'") + "'" if isinstance(value, str) else str(value)


def _values(rows: list[list[Any]]) -> str:
    return ", ".join(f"({', '.join(map(_literal, row))})" for row in rows)


def _insert(table: str, operation: Operation) -> list[str]:
    branch = operation.get("branch")
    target = _quoted(f"{table}$branch_{branch}" if branch else table)
    values = _values([row[1:] for row in operation["rows"]])
    if "overwrite" not in operation:
        return [f"INSERT INTO {target} VALUES {values}"]
    mode = "SET spark.sql.sources.partitionOverwriteMode = {}"  # dynamic: the partitions of the rows alone
    return [mode.format("dynamic"), f"INSERT OVERWRITE {target} VALUES {values}", mode.format("static")]


def _spec(partition: Mapping[str, Any]) -> str:
    return ", ".join(f"{key} = {_literal(value)}" for key, value in partition.items())


def _call(procedure: str, table: str, **arguments: Any) -> list[str]:
    named = ", ".join(f"{name} => {_literal(value)}" for name, value in arguments.items())
    return [f"CALL sys.{procedure}(table => '{table}', {named})"]


def _alter(table: str, operation: Operation) -> list[str]:
    forms = {
        "add": "ADD COLUMNS ({} {})",
        "drop": "DROP COLUMN {}",
        "rename": "RENAME COLUMN {} TO {}",
        "type": "ALTER COLUMN {} TYPE {}",
        "first": "ALTER COLUMN {} FIRST",
    }
    return [f"ALTER TABLE {table} {forms[kind].format(*change)}" for kind, *change in operation["changes"]]


_STATEMENTS: Mapping[str, Callable[[str, Operation], list[str]]] = {
    "write": _insert,
    "dvdelete": lambda t, op: [f"DELETE FROM {t} WHERE {op['col']} IN ({', '.join(map(str, op['in']))})"],
    "compact": lambda t, op: _call("compact", t, compact_strategy="full" if op["full"] else "minor"),
    "expire": lambda t, op: _call("expire_snapshots", t, retain_max=op["retain"], retain_min=op["retain"]),
    "tag": lambda t, op: _call("create_tag", t, tag=op["name"], snapshot=op["snapshot"]),
    "deltag": lambda t, op: _call("delete_tag", t, tag=op["name"]),
    "mkbranch": lambda t, op: _call("create_branch", t, branch=op["name"], tag=op["tag"]),
    "rmbranch": lambda t, op: _call("delete_branch", t, branch=op["name"]),
    "fastforward": lambda t, op: [
        *_call("fast_forward", t, branch=op["name"]),
        *_call("delete_branch", t, branch=op["name"]),
    ],
    "rollback": lambda t, op: _call("rollback", t, version=str(op["snapshot"])),
    "orphans": lambda t, op: [f"CALL sys.remove_orphan_files(table => '{t}')"],
    "alter": _alter,
    "droppartition": lambda t, op: [
        f"ALTER TABLE {t} DROP IF EXISTS PARTITION ({_spec(spec)})" for spec in op["partitions"]
    ],
    "truncate": lambda t, op: [f"TRUNCATE TABLE {t}"],
}
