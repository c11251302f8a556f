"""Consumers: moved, cleared and expired. Spec: 08, 11; 10, 5."""

from core.maintenance.consumers.clear import (
    DeleteConsumersPlan,
    apply_delete_consumers,
    plan_clear_consumers,
)
from core.maintenance.consumers.expire import plan_expire_consumers
from core.maintenance.consumers.reset import ResetConsumerPlan, apply_reset_consumer, plan_reset_consumer

__all__ = [
    "DeleteConsumersPlan",
    "ResetConsumerPlan",
    "apply_delete_consumers",
    "apply_reset_consumer",
    "plan_clear_consumers",
    "plan_expire_consumers",
    "plan_reset_consumer",
]
