"""Replies kept for a day, so that a repeated request does nothing twice."""

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
