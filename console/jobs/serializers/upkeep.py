"""File indexes, manifests and statistics made anew."""

from __future__ import annotations

from console.api.fields import CountField, choice, strings
from console.jobs.serializers.parts import ConcernedSerializer, Flag, Serializer, Text


class IndexedFilesSerializer(Serializer):
    index = Text(help_text="Such as `bitmap(c)`.")
    files = CountField()


class FileIndexEffectsSerializer(ConcernedSerializer):
    """Which indexes files get and lose."""

    kind = choice("file_index")
    files_in_scope = CountField()
    files = CountField(help_text="Files whose indexes change; the data files stay as they are.")
    bytes_to_read = CountField(help_text="At most so much of data files is read.")
    added = IndexedFilesSerializer(many=True)
    dropped = IndexedFilesSerializer(many=True)


class FileIndexParamsSerializer(Serializer):
    partitions = strings(required=False, allow_null=True, help_text="Texts as lists show them.")


class ManifestsEffectsSerializer(ConcernedSerializer):
    """Which manifests are written anew."""

    kind = choice("manifests")
    manifests = CountField()
    bytes = CountField()
    rewritten = CountField()
    rewritten_bytes = CountField()
    deleted_entries = CountField(help_text="DELETE entries that go, each with the ADD that it cancels.")
    manifests_after = CountField(help_text="An estimate.")
    target_bytes = CountField()


class ManifestsParamsSerializer(Serializer):
    """It is asked nothing."""


class AnalyzeEffectsSerializer(ConcernedSerializer):
    """What is read for the statistics."""

    kind = choice("analyze")
    columns = strings()
    left_out = strings(help_text="Columns whose type has no statistics.")
    files = CountField()
    bytes = CountField()
    rows = CountField(help_text="Rows in files, before merging.")
    has_statistics = Flag(help_text="Whether the latest snapshot has some, which these replace.")


class AnalyzeParamsSerializer(Serializer):
    columns = strings(
        required=False,
        allow_null=True,
        help_text="Null: all that can have some. Empty: rows are counted alone.",
    )
