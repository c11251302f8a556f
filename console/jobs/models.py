"""Plans, jobs, their events, and the lease that lets one job at a time change a table."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from console.accounts.models import User
from console.jobs.states import ACTIVE, ENDED, State
from console.warehouses.models import Warehouse

VIEW = "view"  # the kind of a job that reads a view: it changes nothing


class Target(models.Model):
    """The table and branch that a plan or job is about."""

    warehouse = models.ForeignKey(Warehouse, on_delete=models.CASCADE)
    database = models.CharField(max_length=255)
    table = models.CharField(max_length=255)
    branch = models.CharField(max_length=255, default="main")

    class Meta:
        abstract = True

    @property
    def table_name(self) -> str:
        """`warehouse.database.table`: what people type to confirm."""
        return f"{self.warehouse.name}.{self.database}.{self.table}"


class Plan(Target):
    """What an action would do, computed from metadata at one snapshot."""

    public_id = models.CharField(max_length=40, unique=True)
    kind = models.CharField(max_length=20)  # of `PLANNERS`
    level = models.PositiveSmallIntegerField()  # 0 no loss, 1 removes references, 2 removes data or history
    base = models.CharField(max_length=60, null=True)  # the latest snapshot then; null: there was none
    params = models.JSONField()
    effects = models.JSONField()
    kept = models.JSONField(default=list)
    undo = models.JSONField(null=True)
    warnings = models.JSONField(default=list)
    blockers = models.JSONField(default=list)
    work = models.JSONField()  # the part of the job spec that says what to do: {its kind: what it is asked}
    created_by = models.ForeignKey(User, on_delete=models.CASCADE, related_name="plans")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()


class Job(Target):
    """One run of a plan (or of the demo), from being asked to its verified end."""

    public_id = models.CharField(max_length=40, unique=True)
    kind = models.CharField(max_length=20)  # of the plan, or demo
    level = models.PositiveSmallIntegerField(default=0)
    state = models.CharField(max_length=20, choices=[(s.value, s.value) for s in State], default=State.QUEUED)
    plan = models.OneToOneField(Plan, on_delete=models.SET_NULL, null=True, related_name="job")
    retry_of = models.ForeignKey("self", on_delete=models.SET_NULL, null=True, related_name="retries")
    spec = models.JSONField()  # {kind: what it is asked}; credentials are added when it is dispatched
    requested_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="jobs")
    token = models.CharField(max_length=100, blank=True)  # the name of the API token that asked for it
    scheduled = models.BooleanField(default=False)  # a schedule asked for it, as the person who set it
    reason = models.CharField(max_length=1000, blank=True)
    trace_id = models.CharField(max_length=32, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    phases = models.JSONField(default=list)  # [{state, at}]
    progress = models.JSONField(null=True)  # {phase, done, total, unit}
    engine = models.JSONField(null=True)
    result = models.JSONField(null=True)
    problem = models.JSONField(null=True)
    cancel_requested_at = models.DateTimeField(null=True)
    cancelled_by = models.CharField(max_length=150, blank=True)
    # the process that runs it
    owner = models.CharField(max_length=100, blank=True)  # host:pid of the worker's child
    process_group = models.IntegerField(null=True)  # of the engine, on the owner's host
    heartbeat_at = models.DateTimeField(null=True)
    attempt = models.PositiveSmallIntegerField(default=0)
    log_bytes = models.BigIntegerField(default=0)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(  # each takes one of the slots of all jobs
                fields=["requested_by"],
                condition=Q(kind=VIEW, state__in=[state.value for state in sorted(ACTIVE)]),
                name="one_view_run_a_person",
            )
        ]

    @property
    def folder(self) -> str:
        """Where the job's spec, report and log are."""
        return str(settings.JOBS_FOLDER / self.public_id)

    @property
    def is_ended(self) -> bool:
        return State(self.state) in ENDED


class JobEvent(models.Model):
    """Something that happened to a job; `seq` counts from 1 in each job."""

    job = models.ForeignKey(Job, on_delete=models.CASCADE, related_name="events")
    seq = models.PositiveIntegerField()
    at = models.DateTimeField()
    type = models.CharField(max_length=20)  # state, progress, metric, log, warning, commit
    data = models.JSONField()

    class Meta:
        ordering = ["seq"]
        constraints = [models.UniqueConstraint(fields=["job", "seq"], name="one_event_a_number")]


class Lease(models.Model):
    """At most one mutating job a table and branch: the unique key is what enforces it."""

    location = models.CharField(max_length=1000)  # of the table: two names of one table share it
    branch = models.CharField(max_length=255)
    job = models.OneToOneField(Job, on_delete=models.CASCADE, related_name="lease")
    taken_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["location", "branch"], name="one_job_a_table")]


class RefreshSchedule(models.Model):
    """A materialized table that is refreshed when its rows are older than its definition allows."""

    warehouse = models.ForeignKey(Warehouse, on_delete=models.CASCADE)
    database = models.CharField(max_length=255)
    table = models.CharField(max_length=255)
    enabled_by = models.ForeignKey(User, on_delete=models.CASCADE)  # with whose permissions it is refreshed
    enabled_at = models.DateTimeField(auto_now_add=True)
    query = models.TextField(default="")  # the definition that was looked at then; no other is refreshed
    looked_at = models.JSONField(default=dict)  # {view: digest} of the views in it, all the way down
    next_due = models.DateTimeField()
    last_job = models.ForeignKey(Job, on_delete=models.SET_NULL, null=True, related_name="+")
    problem = models.JSONField(null=True)  # a notice: why the last time it was due started nothing

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["warehouse", "database", "table"], name="one_schedule_a_table")
        ]
