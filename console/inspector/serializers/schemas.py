"""Schemas, their differences, and options."""

from __future__ import annotations

from typing import Any, ClassVar

from rest_framework import serializers

from console.api.fields import CountField, TimeField, choice, string_map, strings
from console.inspector.merging import EFFECTS
from console.inspector.old_files import HOW
from console.inspector.serializers.commits import OptionChangeSerializer
from console.inspector.serializers.shared import (
    SNAPSHOT_KINDS,
    DamageSerializer,
    Flag,
    Float,
    FromTo,
    Int,
    Serializer,
    Text,
)


class SchemaSummarySerializer(Serializer):
    page_extra: ClassVar[dict[str, Any]] = {
        "damages": DamageSerializer(many=True, help_text="Schemas that are damaged, or named and not there.")
    }
    id = CountField()
    created_at = TimeField()
    fields = CountField(source="field_count")  # type: ignore[assignment]  # the reply has a member of this name
    primary_keys = strings()
    partition_keys = strings()
    options_changed = strings(help_text="Option keys that differ from the schema before.")
    live_files = CountField(allow_null=True)
    live_bytes = CountField(allow_null=True)
    comment = Text(allow_null=True)
    is_latest = Flag()


class MergingSerializer(Serializer):
    """What merging the versions of a key does to a column.

    `key`: it tells rows apart. `sequence`, `group_sequence`: it says which version is the newest, of the row
    or of its group. `newest`: the value of the newest version; `newest_value`: the newest that is not null;
    `group`: of the version that is newest in its sequence group; `first`: of the first version.
    `aggregate`: `function` of all. `row_kind`: it holds the kind of the row.
    """

    effect = choice(*EFFECTS)
    sequence = strings(help_text="Columns that order the versions; none: the order of the commits.")
    function = Text(allow_null=True)
    options = string_map(help_text="Of `fields.<column>.*`, without the name.")
    problem = Text(allow_null=True, help_text="Why it is not known.")


class SchemaFieldSerializer(Serializer):
    """A column, or a member of one; nested ones follow their parent with a greater depth."""

    id = Int(allow_null=True)
    name = Text()
    path = Text()
    depth = Int()
    position = Int()
    type = Text()
    nullable = Flag()
    comment = Text(allow_null=True)
    default = Text(allow_null=True)
    key = Flag()
    partition = Flag()
    merging = MergingSerializer(allow_null=True, help_text="Null in an append table, and of nested fields.")


class SchemaSerializer(Serializer):
    id = CountField()
    created_at = TimeField()
    highest_field_id = CountField()
    fields = SchemaFieldSerializer(many=True, source="field_rows")  # type: ignore[assignment]  # the reply has a member of this name
    primary_keys = strings()
    partition_keys = strings()
    bucket_keys = strings()
    options = string_map()
    comment = Text(allow_null=True)
    raw = Text(allow_null=True)


class DiffSideSerializer(Serializer):
    name = Text()
    path = Text()
    type = Text()
    nullable = Flag()
    comment = Text(allow_null=True)
    default = Text(allow_null=True)
    position = Int()
    key = Flag()


class DiffMarkSerializer(Serializer):
    kind = choice(
        "added", "dropped", "renamed", "retyped", "moved", "recreated", "nullability", "comment", "default",
        "refused", "kept", "absent",
        help_text="The last three are of a proposal: `refused` stands in the way of writing such rows, "
        "`kept` keeps its type and casts the values, `absent` is a column that the rows lack.",
    )  # fmt: skip
    detail = Text(
        allow_null=True,
        help_text="widening, narrowing or other; from → to; the other id; the reason, by Accept-Language.",
    )


class DiffRowSerializer(FromTo):
    id = Int(allow_null=True)
    depth = Int()
    from_ = DiffSideSerializer(allow_null=True)
    to = DiffSideSerializer(allow_null=True)
    changes = DiffMarkSerializer(many=True)


class FirstUseSerializer(Serializer):
    id = CountField()
    ref = Text()
    kind = choice(*SNAPSHOT_KINDS)
    committed_at = TimeField()


class FieldInSchemaSerializer(Serializer):
    """A field as one schema has it."""

    schema_id = CountField()
    created_at = TimeField()
    field = DiffSideSerializer(allow_null=True, help_text="Null: the schema does not have it.")
    changes = DiffMarkSerializer(many=True, help_text="Against the schema before.")
    first_used = FirstUseSerializer(
        allow_null=True, help_text="The first kept snapshot with the schema; null: none is kept."
    )


class FieldHistorySerializer(Serializer):
    """One field by its id across all schemas, oldest first."""

    id = Int()
    items = FieldInSchemaSerializer(many=True)
    damages = DamageSerializer(many=True, help_text="Schemas that cannot be read.")


class DiffSummarySerializer(Serializer):
    added = Int()
    dropped = Int()
    renamed = Int()
    retyped = Int()
    moved = Int()
    recreated = Int()


class ProposalSummarySerializer(DiffSummarySerializer):
    """Of a schema that is merged with that of rows."""

    refused = Int()
    kept = Int()
    absent = Int()


class KeysChangeSerializer(FromTo):
    from_ = strings()
    to = strings()


class TextChangeSerializer(FromTo):
    from_ = Text(allow_null=True)
    to = Text(allow_null=True)


class DiffKeysSerializer(Serializer):
    primary = KeysChangeSerializer()
    partition = KeysChangeSerializer()
    bucket = KeysChangeSerializer()


class SchemaEffectSerializer(Serializer):
    schema_id = CountField()
    live_files = CountField()
    live_bytes = CountField()
    share = Float(help_text="Of the table's live bytes, 0 to 1.")


class OldFilesSerializer(Serializer):
    """How a reader of the newer schema gets a field from live files of other schemas."""

    id = Int()
    path = Text()
    how = choice(*HOW, help_text="`unread`: the files hold a field that the schema has not.")
    detail = Text(allow_null=True, help_text="Of a cast: from → to; of a default: its value.")
    schema_ids = serializers.ListField(child=CountField(), help_text="Of the files.")
    live_files = CountField()
    live_bytes = CountField(help_text="Of these files as a whole.")


class SchemaDiffSerializer(FromTo):
    from_ = CountField()
    to = CountField()
    summary = DiffSummarySerializer()
    rows = DiffRowSerializer(many=True)
    keys = DiffKeysSerializer()
    options = OptionChangeSerializer(many=True)
    comment = TextChangeSerializer()
    effects = SchemaEffectSerializer(many=True)
    reads = OldFilesSerializer(many=True, help_text="With the schema `to`, of the files that are live now.")


class OptionSerializer(Serializer):
    key = Text()
    value = Text(allow_null=True)
    default = Text(allow_null=True)
    is_default = Flag()
    schema_id = CountField(allow_null=True, help_text="The schema that set the present value.")
    description = Text(allow_null=True)
    type = Text(allow_null=True)
    group = Text()


class OptionInSchemaSerializer(Serializer):
    schema_id = CountField()
    created_at = TimeField()
    value = Text(
        allow_null=True, help_text="Null where the schema does not set it; `•••` where it is secret."
    )
    is_set = Flag()
    is_changed = Flag(help_text="Against the schema before.")


class OptionHistorySerializer(Serializer):
    """One option across all schemas, oldest first."""

    key = Text()
    default = Text(allow_null=True)
    description = Text(allow_null=True)
    items = OptionInSchemaSerializer(many=True)
    damages = DamageSerializer(many=True, help_text="Schemas that cannot be read.")
