"""The action `compact` of `lakescope maintain`: the tasks of a plan in this process, one after the other."""

from __future__ import annotations

import argparse

from core.compact import CompactionPlan, Strategy
from core.errors import InvalidRequestError
from core.snapshot import Snapshot
from core.table import Table
from core.write import CommitMessage


def plan_compact(table: Table, given: argparse.Namespace) -> CompactionPlan:
    """What the command asks for: a compaction, or a sort compaction.

    Raises:
        InvalidRequestError: columns to sort by without an order; a table or columns that cannot be sorted.
        UnsupportedError: the table cannot be compacted by this release.
    """
    if given.order_strategy is not None:
        return table.plan_sort_compaction(given.order_strategy, given.order_by or (), given.partitions)
    if given.order_by:
        raise InvalidRequestError(
            "columns to sort by are of no use without an order", expected="--order-strategy"
        )
    return table.plan_compaction(given.partitions, strategy=Strategy(given.strategy))


def apply_compact(table: Table, plan: CompactionPlan, user: str) -> list[Snapshot]:
    """The snapshots made, none where nothing is to be done; what was written is deleted if it fails.

    Raises:
        CommitConflictError, CommitUnknownError: as `TableCommit.commit`.
    """
    commit = table.new_commit(user)
    messages: list[CommitMessage] = []
    try:
        for task in plan.tasks:
            messages.append(table.run_compaction(task))
        return commit.commit(messages) if messages else []
    except BaseException:
        commit.abort(messages)
        raise
