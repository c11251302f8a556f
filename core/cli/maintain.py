"""`lakescope maintain`: keeps a table in order. What an action would do is shown; `--yes` does it."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Mapping
from typing import Any

from core.cli.actions import ACTIONS, Asked
from core.cli.targets import table_of
from core.commit import new_commit_user
from core.maintenance.facts import facts_of, lines_of, one_line


def run_maintain(given: argparse.Namespace) -> int:
    action = ACTIONS[given.action]
    table = table_of(given, given.table)
    asked = Asked(given, time.time_ns() // 1_000_000, new_commit_user(table.options))
    plan = action.plan(table, asked)
    told: dict[str, Any] = {
        "table": str(table.identifier),
        "action": given.action,
        "plan": facts_of(plan, table),
    }
    if given.yes:
        told["done"] = facts_of(action.apply(table, plan, asked), table)
    if given.format == "json":
        print(json.dumps(told, ensure_ascii=False))
    else:
        _print_text(told, applied=given.yes)
    return 0


def _print_text(told: Mapping[str, Any], *, applied: bool) -> None:
    print(f"{told['action']} of {told['table']}")
    for line in lines_of(told["plan"]):
        print(f"  {line}")
    if applied:
        print(f"done: {one_line(told['done'])}" if told["done"] else "done")
    else:
        print("nothing has been done: --yes applies this plan", file=sys.stderr)
