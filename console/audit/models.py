"""The audit log: rows that are only ever added, each holding the hash of the one before it."""

from __future__ import annotations

from typing import Any, NoReturn

from django.db import models


class AuditDay(models.Model):
    """The head of one day's chain; locking its row makes writers queue. It outlives the day's entries."""

    day = models.DateField(primary_key=True)  # in UTC
    count = models.PositiveBigIntegerField(default=0)
    head = models.CharField(max_length=64, default="0" * 64)
    forwarded = models.PositiveBigIntegerField(default=0)  # the first so many entries went to syslog
    expired_at = models.DateTimeField(null=True)  # when its entries were deleted, being older than is kept


class AuditEvent(models.Model):
    """Somebody did something, or was not allowed to."""

    day = models.ForeignKey(AuditDay, on_delete=models.PROTECT)
    number = models.PositiveBigIntegerField()  # in its day, from 1
    at = models.DateTimeField(db_index=True)
    actor = models.CharField(max_length=150, blank=True)  # username; empty: nobody was signed in
    token = models.CharField(max_length=20, blank=True)  # public id of the API token used
    address = models.CharField(max_length=45, blank=True)
    action = models.CharField(max_length=100)
    target = models.CharField(max_length=500, blank=True)
    outcome = models.CharField(max_length=10)  # ok, denied, failed
    plan_id = models.CharField(max_length=40, blank=True)
    job_id = models.CharField(max_length=40, blank=True)
    trace_id = models.CharField(max_length=32, blank=True)
    detail = models.JSONField(default=dict)
    previous_hash = models.CharField(max_length=64)
    hash = models.CharField(max_length=64, unique=True)

    class Meta:
        ordering = ["-id"]
        constraints = [models.UniqueConstraint(fields=["day", "number"], name="one_entry_a_number")]

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise TypeError("audit entries are never changed")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise TypeError("audit entries are never deleted one by one")
