"""Plans and jobs as the API shows and takes them: effects and parameters of a kind in its own module."""

from console.jobs.serializers.job import (
    JobEventSerializer,
    JobLogSerializer,
    JobSerializer,
    NewJobSerializer,
    RetrySerializer,
)
from console.jobs.serializers.plan import (
    NewPlanSerializer,
    PlanPreviewQuerySerializer,
    PlanPreviewSerializer,
    PlanSerializer,
)

__all__ = [
    "JobEventSerializer",
    "JobLogSerializer",
    "JobSerializer",
    "NewJobSerializer",
    "NewPlanSerializer",
    "PlanPreviewQuerySerializer",
    "PlanPreviewSerializer",
    "PlanSerializer",
    "RetrySerializer",
]
