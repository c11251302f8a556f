"""Jobs, as the API shows and takes them."""

from __future__ import annotations

from rest_framework import serializers

from console.accounts.roles import Permission
from console.api.fields import AnyField, CountField, TimeField, choice, string_map, strings
from console.inspector.serializers import SNAPSHOT_KINDS
from console.jobs.serializers.parts import Flag, NoticeSerializer, Serializer, Text
from console.jobs.serializers.plan import KINDS
from console.jobs.states import State
from core.jobs import MOST_ROWS


class NewJobSerializer(Serializer):
    plan_id = Text(max_length=40)
    confirmation = Text(default="", allow_blank=True, max_length=1000)
    reason = Text(default="", allow_blank=True, max_length=1000)


class RetrySerializer(Serializer):
    """What a plan of level 2 asks for; empty for others."""

    confirmation = Text(default="", allow_blank=True, max_length=1000)
    reason = Text(default="", allow_blank=True, max_length=1000)


class PhaseSerializer(Serializer):
    state = choice(*(s.value for s in State))
    at = Text()


class ProgressSerializer(Serializer):
    phase = Text()
    done = CountField()
    total = CountField(allow_null=True)
    unit = Text()


class JobResultSerializer(Serializer):
    """What the table shows after the job."""

    snapshots = strings(help_text="References of the snapshots that the job made, oldest first.")
    latest = Text(allow_null=True)
    detail = Text(allow_null=True)
    metrics = serializers.DictField(child=CountField())


class ConflictSerializer(Serializer):
    """The commit that a job lost: over the id of the snapshot, or over files."""

    kind = choice("snapshot_id", "files")
    tries = CountField(allow_null=True, help_text="How often other commits were faster.")
    base = Text(allow_null=True, help_text="The latest snapshot when the job was planned.")
    winner = Text(allow_null=True, help_text="The first commit since that changed the file; null: not known.")
    winner_kind = choice(*SNAPSHOT_KINDS, allow_null=True)
    winner_user = Text(allow_null=True)
    winner_job = Text(allow_null=True, help_text="Of this console, if it was one.")
    file = Text(allow_null=True, help_text="The first file that both were to change.")
    detail = Text(help_text="All that in a sentence, by Accept-Language.")
    advice = Text(help_text="What keeps it from happening again, by Accept-Language.")


class JobProblemSerializer(Serializer):
    code = Text()
    message = Text()
    fields = string_map()  # type: ignore[assignment]  # the reply has a member of this name
    transient = Flag()
    redacted = Flag(help_text="What it says may quote values that the caller is not told.")
    conflict = ConflictSerializer(allow_null=True)


class EngineSerializer(Serializer):
    name = Text()
    version = Text()
    application_id = Text()
    ui_url = Text(allow_null=True)


class JobSerializer(Serializer):
    id = Text(source="public_id")
    kind = choice(*KINDS, "demo", "view")
    level = serializers.IntegerField()
    state = choice(*(s.value for s in State))
    warehouse = Text(source="warehouse.name")
    database = Text()
    table = Text()
    branch = Text()
    requested_by = Text(allow_null=True)
    token = Text(help_text="The name of the API token that asked for it; empty: a person in the pages.")
    scheduled = Flag(help_text="A schedule asked for it, as the person who set it.")
    cancelled_by = Text(allow_null=True)
    reason = Text()
    plan_id = Text(allow_null=True)
    retry_of = Text(allow_null=True)
    created_at = TimeField()
    started_at = TimeField(allow_null=True)
    ended_at = TimeField(allow_null=True)
    heartbeat_at = TimeField(allow_null=True)
    phases = PhaseSerializer(many=True)
    progress = ProgressSerializer(allow_null=True)
    engine = EngineSerializer(allow_null=True)
    result = JobResultSerializer(allow_null=True)
    problem = JobProblemSerializer(allow_null=True)
    log_bytes = CountField()
    log_needs = choice(
        *(p.value for p in Permission), allow_null=True, help_text="What the caller lacks to read the log."
    )
    trace_id = Text()
    actions = serializers.ListField(child=choice("cancel", "retry"), help_text="What the caller may do now.")


class JobEventSerializer(Serializer):
    seq = CountField()
    at = TimeField()
    type = choice("state", "progress", "metric", "log", "warning", "commit")
    data = serializers.DictField(child=AnyField())  # type: ignore[assignment]  # the reply has a member of this name


class JobLogSerializer(Serializer):
    """Some bytes of the log, cut at a line's end where there is one."""

    text = Text()
    offset = CountField()
    next_offset = CountField()
    size = CountField()
    end = Flag(help_text="The job has ended and nothing follows.")


class NewViewRunSerializer(Serializer):
    limit = serializers.IntegerField(default=100, min_value=1, max_value=MOST_ROWS)


class ViewColumnSerializer(Serializer):
    name = Text()
    type = Text()


class ViewRowsSerializer(Serializer):
    """Rows as arrays in the order of columns. 64-bit integers and decimals are strings, bytes hexadecimal."""

    job = Text()
    columns = ViewColumnSerializer(many=True)
    rows = serializers.ListField(child=serializers.ListField(child=AnyField()))
    truncated = Flag(help_text="There are more rows than are shown.")
    tables = strings(help_text="The views and tables that were read.")
    read_at = TimeField()
    kept_until = TimeField()
    millis = CountField()


class LatestViewRunSerializer(Serializer):
    """The caller's last run of the view; null: there is none, or its rows are gone."""

    run = JobSerializer(allow_null=True)


class ScheduleSerializer(Serializer):
    """Whether and how a materialized table is refreshed by a schedule."""

    enabled = Flag()
    enabled_by = Text(allow_null=True, help_text="With whose permissions it is refreshed.")
    enabled_at = TimeField(allow_null=True)
    next_due = TimeField(allow_null=True, help_text="When its rows will be looked at next.")
    views = strings(
        help_text="In the definition as it was looked at then: those that the caller may browse. When one of "
        "them says something else, nothing is refreshed."
    )
    problem = NoticeSerializer(allow_null=True, help_text="Why nothing was started when it was due.")
    last_job = JobSerializer(allow_null=True)
    permitted = Flag(help_text="Whether the caller may switch it on and off.")
