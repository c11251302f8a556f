"""Compaction."""

from __future__ import annotations

from rest_framework import serializers

from console.api.fields import CountField, choice, strings
from console.jobs.serializers.parts import Serializer, Text
from core.jobs import CompactStrategy


class CompactBucketSerializer(Serializer):
    partition = Text()
    bucket = serializers.IntegerField()
    runs_before = CountField(allow_null=True)
    runs_after = CountField(allow_null=True)
    files_before = CountField()
    files_after = CountField(allow_null=True)
    bytes = CountField()
    reason = Text()


class CompactEffectsSerializer(Serializer):
    """What a compaction rewrites."""

    kind = choice("compact")
    buckets = CompactBucketSerializer(many=True, help_text="The first 200, most bytes first.")
    buckets_in_scope = CountField()
    files_before = CountField()
    files_after = CountField(allow_null=True, help_text="An estimate.")
    bytes_rewritten = CountField()
    est_seconds = CountField(allow_null=True)
    est_reason = Text(allow_null=True, help_text="Why there is no estimate, by Accept-Language.")
    est_reason_code = Text(allow_null=True)


class CompactParamsSerializer(Serializer):
    strategy = choice(*(s.value for s in CompactStrategy), default="full")
    partitions = strings(required=False, allow_null=True, help_text="Texts as lists show them.")
    buckets = serializers.ListField(
        child=serializers.IntegerField(min_value=0, max_value=2**31 - 1), required=False, allow_null=True
    )
