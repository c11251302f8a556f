"""Scan planning: a snapshot -> the splits to read, and why. Spec: 09, 8."""

from core.scan.explain import Explain, Stage, StageName
from core.scan.plan import Plan
from core.scan.planner import plan_scan
from core.scan.source import TableSource
from core.scan.split import DeletionFile, Split

__all__ = ["DeletionFile", "Explain", "Plan", "Split", "Stage", "StageName", "TableSource", "plan_scan"]
