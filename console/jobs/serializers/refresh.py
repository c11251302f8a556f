"""Refreshes of materialized tables, and their schedule."""

from __future__ import annotations

from console.api.fields import CountField, choice, strings
from console.jobs.serializers.parts import Flag, Serializer, Text


class RefreshEffectsSerializer(Serializer):
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
    consumers_affected = strings(help_text="Consumers of the branch: their readers see the commit next.")
    writers_affected = strings(help_text="Who committed in the last 10 minutes and may do so again.")


class RefreshParamsSerializer(Serializer):
    full = Flag(
        required=False,
        help_text="As a whole, also a table that is refreshed continuously, whose stream then starts anew.",
    )


class ScheduleChangeSerializer(Serializer):
    enabled = Flag()
