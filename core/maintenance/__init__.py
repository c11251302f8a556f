"""What keeps a table in order: rollback, and the integrity check in `core.maintenance.check`."""

from core.maintenance.rollback import Guard, apply_rollback
from core.maintenance.rollback_plan import RollbackPlan, plan_rollback

__all__ = ["Guard", "RollbackPlan", "apply_rollback", "plan_rollback"]
