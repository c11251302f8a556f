"""Statistics of rows for the optimizers of query engines, as ANALYZE of SQL computes them. Spec: 08, 14."""

from core.maintenance.analyze.plan import AnalyzePlan, apply_analyze, plan_analyze

__all__ = ["AnalyzePlan", "apply_analyze", "plan_analyze"]
