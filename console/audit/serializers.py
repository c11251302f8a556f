"""Audit entries as the API shows them."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from console.api.fields import AnyField, CountField, TimeField, choice


class AuditEventSerializer(serializers.Serializer[Any]):
    id = CountField()
    at = TimeField()
    actor = serializers.CharField()
    token = serializers.CharField()
    address = serializers.CharField()
    action = serializers.CharField()
    target = serializers.CharField()
    outcome = choice("ok", "denied", "failed")
    plan_id = serializers.CharField(help_text="Empty: none.")
    job_id = serializers.CharField(help_text="Empty: none.")
    trace_id = serializers.CharField()
    detail = serializers.DictField(child=AnyField())
    number = CountField(help_text="In its day.")
    previous_hash = serializers.CharField()
    hash = serializers.CharField()


class AuditDaySerializer(serializers.Serializer[Any]):
    day = serializers.DateField(help_text="In UTC.")
    entries = CountField(source="count")
    head = serializers.CharField(help_text="SHA-256: the hash of the last entry.")
    forwarded = CountField(help_text="So many of the first entries went to syslog.")
    expired_at = TimeField(help_text="Null: its entries are kept.", allow_null=True)


class AuditDayCheckSerializer(serializers.Serializer[Any]):
    day = serializers.DateField(source="row.day", help_text="In UTC.")
    entries = CountField(source="row.count")
    state = choice("whole", "broken", "expired")
    broken_at = CountField(
        allow_null=True, help_text="The number of the first entry that is changed, missing or too many."
    )
