"""Replies kept for a day, so that a repeated request does nothing twice; and work that goes on."""

from __future__ import annotations

from django.db import models


class IdempotentReply(models.Model):
    """The reply to one caller's request under one Idempotency-Key; status 0 while it is being made."""

    caller = models.CharField(max_length=100)
    key = models.CharField(max_length=100)
    request_digest = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField(default=0)
    body = models.TextField(blank=True)  # encrypted: a new token's reply holds the token
    location = models.CharField(max_length=500, blank=True)
    created_at = models.DateTimeField(auto_now_add=True, db_index=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["caller", "key"], name="one_reply_a_key")]


class Operation(models.Model):
    """Work that a request began and did not wait for to end."""

    class State(models.TextChoices):
        RUNNING = "running"
        SUCCEEDED = "succeeded"
        FAILED = "failed"

    public_id = models.CharField(max_length=40, unique=True)
    state = models.CharField(max_length=20, choices=State, default=State.RUNNING)
    caller = models.CharField(max_length=100)
    method = models.CharField(max_length=10)
    href = models.TextField()  # of the request
    owner = models.CharField(max_length=100)  # host:pid of the process that does the work
    problem = models.JSONField(null=True)
    created_at = models.DateTimeField(auto_now_add=True, db_index=True)
    ended_at = models.DateTimeField(null=True)
