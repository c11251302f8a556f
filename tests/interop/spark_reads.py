"""What both connectors are asked to read: tables that Paimon's Spark SQL made, options and a query over `t`.

The tables are those of newest_sql/ by the name of their script. In options `${time:N}` stands for the moment
of snapshot N in epoch milliseconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

SCRIPTS = ("points_in_time", "changelogs", "nested_evolution", "types", "layouts")

ALL = "SELECT * FROM t"


@dataclass(frozen=True)
class Read:
    """One read of one table."""

    name: str
    script: str
    table: str
    sql: str = ALL
    options: Mapping[str, str] = field(default_factory=dict)
    theirs: str = ""  # what their SQL says for it, with {t} for table `t`, where its options do not do


def read(name: str, script: str, table: str, sql: str = ALL, *, theirs: str = "", **options: str) -> Read:
    """A read; options are spelled with `_` for `-` and `__` for `.`."""
    return Read(
        name,
        script,
        table,
        sql,
        {k.replace("__", ".").replace("_", "-"): v for k, v in options.items()},
        theirs,
    )


TIME, CHANGES, NESTED, TYPES, LAYOUTS = SCRIPTS

READS = [
    # --- time travel
    read("the latest state", TIME, "t"),
    read("a snapshot", CHANGES, "t", scan__snapshot_id="2"),
    read(
        "a snapshot, filtered",
        CHANGES,
        "t",
        "SELECT v, id FROM t WHERE id BETWEEN 2 AND 3",
        scan__snapshot_id="4",
    ),
    read(
        "a snapshot with the columns of then", TIME, "t", theirs="{t} VERSION AS OF 1", scan__snapshot_id="1"
    ),
    read("a tag", CHANGES, "t", "SELECT dt, count(*) AS n FROM t GROUP BY dt", scan__tag_name="kept"),
    read(
        "a tag with the columns of then",
        TIME,
        "t",
        theirs="{t} VERSION AS OF 'renamed'",
        scan__tag_name="renamed",
    ),
    read("a version that is a tag", TIME, "t", theirs="{t} VERSION AS OF 'first'", scan__version="first"),
    read("a version that is a snapshot", CHANGES, "t", scan__version="2"),
    read("a moment", CHANGES, "t", scan__timestamp_millis="${time:4}"),
    read("a whole state by mode", CHANGES, "t", scan__mode="from-snapshot-full", scan__snapshot_id="2"),
    read("a branch", TIME, "t$branch_side"),
    read(
        "a branch by option",
        TIME,
        "t",
        "SELECT * FROM t WHERE id > 40",
        theirs="{t$branch_side}",
        branch="side",
    ),
    # --- changes between two points
    read("between snapshots", TIME, "t", "SELECT * FROM t WHERE id >= 10", incremental_between="1,3"),
    read("between tags", TIME, "t", incremental_between="first,renamed"),
    read(
        "between moments",
        TIME,
        "t",
        "SELECT * FROM t WHERE id >= 10",
        incremental_between_timestamp="${time:1},${time:3}",
    ),
    read(
        "the delta between",
        CHANGES,
        "t",
        "SELECT * FROM t WHERE dt = 'y'",
        incremental_between="1,5",
        incremental_between_scan_mode="delta",
    ),
    read(
        "kinds of the changelog between",
        CHANGES,
        "t$audit_log",
        incremental_between="2,8",
        incremental_between_scan_mode="changelog",
    ),
    read(
        "the difference between",
        CHANGES,
        "t",
        incremental_between="1,6",
        incremental_between_scan_mode="diff",
    ),
    read("kinds of changes between", CHANGES, "t$audit_log", incremental_between="1,6"),
    # --- system tables
    read("audit_log", CHANGES, "t$audit_log", "SELECT rowkind, id, v FROM t WHERE dt = 'x'"),
    read("binlog", CHANGES, "t$binlog"),
    read("ro", CHANGES, "t$ro", "SELECT dt, sum(n) AS n FROM t GROUP BY dt"),
    read(
        "snapshots",
        CHANGES,
        "t$snapshots",
        "SELECT snapshot_id, schema_id, commit_kind, total_record_count FROM t",
    ),
    read(
        "files", CHANGES, "t$files", "SELECT partition, bucket, level, record_count, min_key, max_key FROM t"
    ),
    read("partitions", CHANGES, "t$partitions", "SELECT partition, record_count, file_count FROM t"),
    read("buckets", CHANGES, "t$buckets", "SELECT partition, bucket, record_count, file_count FROM t"),
    read("manifests", TIME, "t$manifests", "SELECT count(*) AS n, sum(num_added_files) AS a FROM t"),
    read("schemas", TIME, "t$schemas", "SELECT schema_id, fields, primary_keys FROM t"),
    read("options", TIME, "t$options"),
    read("tags", TIME, "t$tags", "SELECT tag_name, snapshot_id, schema_id, record_count FROM t"),
    read("branches", TIME, "t$branches", "SELECT branch_name FROM t"),
    # --- nested columns
    read(
        "members of evolved structs",
        NESTED,
        "t",
        "SELECT id, renamed.b, renamed.inner.x, list[0].text AS l, m['k'].c AS c FROM t WHERE renamed.a >= 4",
    ),
    read("nested columns whole", NESTED, "t"),
    read(
        "exploded lists and maps",
        NESTED,
        "t",
        "SELECT id, e.a, e.text, map_keys(m) AS k FROM t LATERAL VIEW explode(list) AS e WHERE e.a > 0",
    ),
    # --- types and filters
    read("every type", TYPES, "append"),
    read("every type, merged", TYPES, "keyed", "SELECT * FROM t WHERE id = 2"),
    read("decimals", TYPES, "append", "SELECT id FROM t WHERE d9 < -1000.5 AND d38 <> 1 AND d18 > 0.00005"),
    read(
        "dates and instants",
        TYPES,
        "append",
        "SELECT id FROM t WHERE da >= DATE'2000-01-01' AND tz > TIMESTAMP'2001-01-01'",
    ),
    read(
        "wall clocks",
        TYPES,
        "append",
        "SELECT id, ts FROM t WHERE ts = TIMESTAMP_NTZ'2024-05-14 01:02:03.456789'",
    ),
    read(
        "negations, nulls and either",
        TYPES,
        "append",
        "SELECT id FROM t WHERE NOT (bi > 0) OR bo IS NULL OR st LIKE '%break'",
    ),
    read("null-safe and in", TYPES, "append", "SELECT id FROM t WHERE vc <=> NULL OR ti IN (127, 5)"),
    read(
        "bytes and floats", TYPES, "append", "SELECT id FROM t WHERE by = X'0001ff' AND fl < 0 AND db > 1e299"
    ),
    # --- layouts
    read(
        "partitions by their columns",
        LAYOUTS,
        "parts",
        "SELECT v FROM t WHERE b AND d < DATE'1970-01-01' AND s LIKE 'a/b%'",
    ),
    read("the partition of nulls", LAYOUTS, "parts", "SELECT * FROM t WHERE i IS NULL AND t IS NULL"),
    read("one bucket by its key", LAYOUTS, "hashed", "SELECT * FROM t WHERE id IN (-7, 11)"),
    read("dynamic buckets", LAYOUTS, "dynamic", "SELECT v, count(*) AS n, max(id) AS m FROM t GROUP BY v"),
    read("keys that moved", LAYOUTS, "crossing"),
    read("formats by level", LAYOUTS, "mixed", "SELECT * FROM t WHERE id < 3"),
    read("defaults", LAYOUTS, "defaults", "SELECT v, n FROM t WHERE n = 7"),
    read("no rows", LAYOUTS, "empty", "SELECT s.x FROM t"),
    read(
        "a table with itself",
        CHANGES,
        "t",
        "SELECT a.id, b.v FROM t a JOIN t b ON a.id = b.id AND a.dt = b.dt WHERE a.n > 3",
    ),
]
