"""Partitions: dropped, also once they are old, and marked as done. Spec: 08, 13."""

from core.maintenance.partitions.chosen import Chosen, chosen_partitions, partitions_where
from core.maintenance.partitions.drop import (
    DropPartitionsPlan,
    LivePartition,
    apply_drop_partitions,
    plan_drop_partitions,
)
from core.maintenance.partitions.expire import plan_expire_partitions
from core.maintenance.partitions.mark_done import MarkDonePlan, apply_mark_done, plan_mark_done

__all__ = [
    "Chosen",
    "DropPartitionsPlan",
    "LivePartition",
    "MarkDonePlan",
    "apply_drop_partitions",
    "apply_mark_done",
    "chosen_partitions",
    "partitions_where",
    "plan_drop_partitions",
    "plan_expire_partitions",
    "plan_mark_done",
]
