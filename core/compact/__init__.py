"""What to compact: picks and plans, decided without I/O. Running them is in `core.write.compaction`."""

from core.compact.plan import CompactionPlan, CompactionTask, Strategy

__all__ = ["CompactionPlan", "CompactionTask", "Strategy"]
