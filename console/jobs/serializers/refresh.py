"""Refreshes of materialized tables, and their schedule."""

from __future__ import annotations

from console.api.fields import CountField, choice
from console.jobs.serializers.parts import ConcernedSerializer, Flag, Serializer, Text


class ViewReadSerializer(Serializer):
    name = Text()
    query = Text(help_text="What it says now, and has to say when the job begins.")


class RefreshEffectsSerializer(ConcernedSerializer):
    """What a refresh replaces (mode full), or adds to (continuous)."""

    kind = choice("refresh")
    mode = choice("full", "continuous")
    query = Text(allow_blank=True)
    freshness = Text(allow_null=True)
    last_commit_at = Text(allow_null=True)
    is_stale = Flag()
    files_removed = CountField()
    bytes_removed = CountField()
    rows_removed = CountField()
    views = ViewReadSerializer(
        many=True, help_text="In the definition, all the way down: those that the caller may browse."
    )


class RefreshParamsSerializer(Serializer):
    full = Flag(
        required=False,
        help_text="As a whole, also a table that is refreshed continuously, whose stream then starts anew.",
    )


class ScheduleChangeSerializer(Serializer):
    enabled = Flag()
