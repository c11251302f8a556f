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
