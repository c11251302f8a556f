"""Every command of pypaimon 2.1.0's `paimon` and every call of its Python API, and what becomes of it here.

`drivers/rest_calls21.py` does the calls; a command or call that it has and that stands nowhere fails a test.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Command:
    """In order, each after the ones before. A word `FOLDER` is a folder with `schema.json`, `rows.csv`."""

    words: str  # `|` between two
    shows: str = ""  # part of what it prints
    refused: str = ""  # part of what it says of a 501
    fails_there: str = ""  # part of what it says of itself, before any request is sent, or where none is


COMMANDS = (
    Command("catalog|list-dbs", "No databases"),
    Command("db|create|shop", "created"),
    Command('db|create|props|-p|{"a": "b"}', "created"),
    Command("db|get|shop", '"name": "shop"'),
    Command('db|alter|shop|--set|{"a": "b"}', refused="properties of databases"),
    Command("table|create|shop.t|--schema|FOLDER/schema.json", "created"),
    Command("db|list-tables|shop", "t"),
    Command("table|get|shop.t", '"comment": "made by the command line"'),
    Command("table|import|shop.t|--input|FOLDER/rows.csv", "imported 2 rows"),
    Command("table|snapshot|shop.t", '"id": 1'),
    Command("table|read|shop.t|--where|id > 1|--format|json", '[{"day": "y", "id": 2, "note": "two"}]'),
    Command("table|explain|shop.t", "Snapshot:           1"),
    Command("table|list-partitions|shop.t|--format|json", '"Partition": "day=x", "RecordCount": 1'),
    Command("table|list-partitions|shop.t|--pattern|day=n%", "No partitions"),
    Command("tag|create|shop.t|v1", "created"),
    Command("tag|list|shop.t", "v1"),
    Command("tag|get|shop.t|v1", "Snapshot ID: 1"),
    Command("branch|create|shop.t|b|--tag|v1", "created from tag 'v1'"),
    Command("branch|list|shop.t", "b"),
    Command("branch|rename|shop.t|b|c", "renamed to 'c'"),
    Command("branch|fast-forward|shop.t|c", "to branch 'c'"),
    Command("branch|delete|shop.t|c", "deleted"),
    Command("table|drop-partition|shop.t|-p|day=y", "dropped"),
    Command("table|rollback|shop.t|--snapshot|1", "to snapshot 1"),
    Command("table|rollback|shop.t|--tag|v1", "to tag 'v1'"),
    Command("table|rollback|shop.t|--timestamp|9999999999999", "to timestamp"),
    Command("table|read|shop.t|--select|note|--format|json", '[{"note": "one"}, {"note": "two"}]'),
    Command("tag|delete|shop.t|v1", "deleted"),
    Command("table|alter|shop.t|set-option|-k|snapshot.num-retained.min|-v|3", "altered"),
    Command("table|alter|shop.t|remove-option|-k|snapshot.num-retained.min", "altered"),
    Command("table|alter|shop.t|add-column|-n|more|-t|INT", "altered"),
    Command("table|alter|shop.t|alter-column|-n|more|-t|BIGINT|-c|words", "altered"),
    # It cannot write down by itself where a column goes: no request is sent.
    Command("table|alter|shop.t|alter-column|-n|more|--first", fails_there="build request failed"),
    Command("table|alter|shop.t|rename-column|-n|more|-m|less", "altered"),
    Command("table|alter|shop.t|drop-column|-n|less", "altered"),
    Command("table|alter|shop.t|update-comment|-c|other", "altered"),
    Command("table|rename|shop.t|shop.u", "renamed to 'shop.u'"),
    Command("table|full-text-search|shop.u|--column|note|--query|one", "No matching rows"),
    Command("sql|SELECT 1", fails_there="pypaimon_rust"),  # an engine of its own, which is not installed here
    Command("table|drop|shop.u", "dropped"),
    Command("db|drop|shop", "dropped"),
)


@dataclass(frozen=True)
class Refused:
    """By a 501 whose text says which feature."""

    feature: str


@dataclass(frozen=True)
class Wrong:
    """A mistake of the caller, which pypaimon tells by a class of its own."""

    error: str


# What each call gives, by `name` or `name:what is different`.
CALLS: dict[str, Any] = {
    "alter_database": Refused("properties of databases"),
    "alter_function": None,
    "alter_table": None,
    "auth_table_query": [],
    "commit_snapshot": None,
    "create_branch": None,
    "create_database": None,
    "create_database:properties": None,
    "create_function": None,
    "create_partitions": None,
    "create_partitions:empty": Refused("create a partition without files"),
    "create_partitions:there": Wrong("IllegalStateError"),
    "create_table": None,
    "create_tag": None,
    "delete_tag": None,
    "drop_branch": None,
    "drop_database": None,
    "drop_function": None,
    "drop_partitions": None,
    "drop_table": None,
    "fast_forward": None,
    "get_database": "api",
    "get_function": ["a", "b"],
    "get_options": True,
    "get_table": ["day", "id", "note"],
    "get_table:system": "SnapshotsTable",
    "get_tag": 1,
    "grant_permission": Refused("permissions/grant"),
    "list_branches": ["b"],
    "list_databases": ["api", "p", "props"],
    "list_databases_paged": ["api"],
    "list_function_details_paged": ["plus"],
    "list_functions": ["plus"],
    "list_functions_paged": ["plus"],
    "list_functions_paged_globally": ["api.plus"],
    "list_partitions_paged": [{"day": "x"}],
    "list_permissions": Refused("permissions"),
    "list_tables": ["t"],
    "list_tables_paged": ["t"],
    "list_tags_paged": ["v1"],
    "load_snapshot": 1,
    "load_snapshot:none": None,
    "load_table": "FileStoreTable",
    "load_table_metadata": True,
    "load_table_token": Refused("data-token.enabled"),
    "permission_management": "RESTPermissionManagement",
    "rename_branch": None,
    "rename_table": None,
    "revoke_permission": Refused("permissions/revoke"),
    "rollback_to": None,
    "rollback_to:missing": Wrong("ValueError"),
    "rollback_to:tag": None,
    "supports_version_management": True,
}
