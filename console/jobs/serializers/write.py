"""Writes from a path or a query."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from console.api.fields import CountField, choice, string_map, strings
from console.inspector.serializers.schemas import DiffRowSerializer, ProposalSummarySerializer
from console.inspector.serializers.shared import FromTo
from console.jobs.serializers.parts import ConcernedSerializer, Flag, Serializer, Text
from core.jobs import SourceFormat, WriteMode
from core.write.fit import FitKind

WRITE_MODES = (WriteMode.APPEND.value, WriteMode.OVERWRITE.value)


class FitSerializer(Serializer):
    """How a column of the source fits the table."""

    column = Text()
    source_type = Text(allow_null=True)
    table_type = Text(allow_null=True)
    verdict = choice("ok", "cast", "missing", "extra", "incompatible", "unknown")
    reason = choice(*(kind.value for kind in FitKind), allow_null=True)
    detail = Text(allow_null=True, help_text="The reason in words, by Accept-Language.")


class SchemaChangeSerializer(FromTo):
    """What a write that merges the schema makes of it first, as the difference of two schemas."""

    from_ = CountField()
    to = CountField()
    summary = ProposalSummarySerializer()
    rows = DiffRowSerializer(many=True)


class WriteEffectsSerializer(ConcernedSerializer):
    """What a write adds and replaces; null is what is known only once the source is read."""

    kind = choice("write")
    mode = choice(*WRITE_MODES)
    schema_fit = FitSerializer(many=True)
    schema_change = SchemaChangeSerializer(allow_null=True)
    source_files = CountField(allow_null=True)
    source_rows = CountField(allow_null=True)
    source_bytes = CountField(allow_null=True)
    partitions = strings(allow_null=True)
    files_removed = CountField(allow_null=True)
    bytes_removed = CountField(allow_null=True)
    rows_removed = CountField(allow_null=True)


class QueryViewSerializer(Serializer):
    path = Text(max_length=2000)
    format = choice(*(f.value for f in SourceFormat))
    options = string_map(required=False)


class SourceSerializer(Serializer):
    """`kind` `path`: path and format. `kind` `query`: query, and views over paths."""

    kind = choice("path", "query")
    path = Text(max_length=2000, required=False)
    format = choice(*(f.value for f in SourceFormat), required=False)
    options = string_map(required=False)
    query = Text(max_length=20_000, required=False)
    views = serializers.DictField(child=QueryViewSerializer(), required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        needed = ("path", "format") if attrs["kind"] == "path" else ("query",)
        missing = {name: "This is needed here." for name in needed if name not in attrs}
        if missing:
            raise serializers.ValidationError(missing)
        return attrs


class WriteParamsSerializer(Serializer):
    source = SourceSerializer()  # type: ignore[assignment]  # the reply has a member of this name
    mode = choice(*WRITE_MODES, default="append")
    partition = string_map(
        required=False,
        allow_null=True,
        help_text="Overwrite: null replaces the partitions that the rows touch, {} the whole table.",
    )
    row_kind_column = Text(required=False, allow_null=True)
    merge_schema = Flag(required=False, help_text="Columns that the table lacks are added to it first.")
    type_widening = Flag(
        required=False, help_text="With merge_schema: columns take the wider type of the rows."
    )
    explicit_casts = Flag(required=False, help_text="With type_widening: also types that may change values.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        for name, needed in (("type_widening", "merge_schema"), ("explicit_casts", "type_widening")):
            if attrs.get(name) and not attrs.get(needed):
                raise serializers.ValidationError({name: f"This goes with {needed}."})
        return attrs
