"""Compaction."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from console.api.fields import CountField, choice, strings
from console.api.language import said
from console.jobs.serializers.parts import Serializer, Text
from core.compact.sort_order import SortStrategy
from core.jobs import COMPACTION_OPTIONS

# Vectors are materialised by a plan of their own.
_STRATEGIES = ("full", "minor", *(s.value for s in SortStrategy))


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
    peak_bytes = CountField(
        help_text="What the new files take at most beside the old ones, which stay until they expire."
    )
    marked_files = CountField(help_text="Files whose deletion vectors the rewrite leaves out.")
    marked_rows = CountField(help_text="Rows that these vectors mark.")
    commits_last_hour = CountField(help_text="Of the branch, by anybody.")
    rivals = strings(help_text="Who compacted or overwrote in the last hour.")
    conflict_risk = choice(
        "none", "low", "high", help_text="low: others only add files; high: others take files away, too."
    )
    est_seconds = CountField(allow_null=True)
    est_seconds_low = CountField(allow_null=True, help_text="A quarter of the past jobs were faster.")
    est_seconds_high = CountField(allow_null=True, help_text="A quarter of the past jobs were slower.")
    est_reason = Text(allow_null=True, help_text="Why there is no estimate, by Accept-Language.")
    est_reason_code = Text(allow_null=True)


class VectorsEffectsSerializer(CompactEffectsSerializer):
    """What is rewritten so that no file has a deletion vector."""

    kind = choice("vectors")


class ScopeSerializer(Serializer):
    """Which partitions, and which options for this run alone."""

    partitions = strings(required=False, allow_null=True, help_text="Texts as lists show them.")
    where = Text(
        required=False,
        allow_null=True,
        allow_blank=True,
        max_length=4000,
        help_text="Only partitions for which it holds: over partition columns, such as `dt < '2026-11-01'`.",
    )
    idle_time = Text(
        required=False,
        allow_null=True,
        allow_blank=True,
        max_length=40,
        help_text="Only partitions that have got no file for so long, such as `1 d`.",
    )
    options = serializers.DictField(
        child=Text(max_length=100),
        required=False,
        help_text=f"Options for this run alone, of these: {', '.join(sorted(COMPACTION_OPTIONS))}.",
    )

    def validate_options(self, given: dict[str, str]) -> dict[str, str]:
        for key in given:
            if key not in COMPACTION_OPTIONS:
                raise serializers.ValidationError(_other_option(key))
        return given


def _other_option(key: str) -> str:
    known = ", ".join(sorted(COMPACTION_OPTIONS))
    return said(
        f"{key} cannot be set for one compaction alone; these can: {known}",
        f"{key} 不能只为一次合并设置；可设置的有：{known}",
    )


class VectorsParamsSerializer(ScopeSerializer):
    """In which partitions deletion vectors are materialised."""


class CompactParamsSerializer(ScopeSerializer):
    strategy = choice(
        *_STRATEGIES, default="full",
        help_text="order, zorder and hilbert put the rows of an append table in order.",
    )  # fmt: skip
    order_by = strings(required=False, allow_null=True, help_text="The columns of that order.")
    buckets = serializers.ListField(
        child=serializers.IntegerField(min_value=0, max_value=2**31 - 1), required=False, allow_null=True
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        sorts = attrs["strategy"] in tuple(SortStrategy)
        if sorts and not attrs.get("order_by"):
            raise serializers.ValidationError({"order_by": "An order needs columns."})
        if sorts and attrs.get("buckets"):
            raise serializers.ValidationError({"buckets": "Tables that are sorted have no buckets."})
        if not sorts and attrs.get("order_by"):
            raise serializers.ValidationError({"order_by": "This goes with order, zorder and hilbert."})
        return attrs
