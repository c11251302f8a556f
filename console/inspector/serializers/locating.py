"""Where a pasted file name is."""

from __future__ import annotations

from console.api.fields import CountField, choice
from console.inspector.locating import KINDS, ROLES, VERDICTS
from console.inspector.serializers.shared import Serializer, Text


class ObjectPlaceSerializer(Serializer):
    """The table and the newest snapshot that know the name."""

    warehouse = Text()
    database = Text()
    table = Text()
    branch = Text()
    name = Text(help_text="Of the data file, where a companion of it was asked for.")
    role = choice(
        *ROLES,
        help_text="What it is there: `removed` by this commit, `base` to `index`: the list of the snapshot "
        "that names it, `itself` for snapshots, changelogs and schemas.",
    )
    snapshot = Text(allow_null=True)
    tag = Text(allow_null=True, help_text="The tag that alone keeps the snapshot.")


class SearchedSerializer(Serializer):
    """How far the search went."""

    tables = CountField()
    of = CountField(help_text="Tables that it could have been in.")
    commits = CountField()
    unreadable = CountField(help_text="Commits, lists and branches that cannot be read: it might be in them.")


class ObjectSearchSerializer(Serializer):
    """Where a file is named, or why it is nowhere.

    `gone`: nothing of the one table names it, and it is not there: its snapshots have expired or were rolled
    back. `unreferenced`: it is there, and nothing leads to it. `not-found`: none of the tables searched names
    it. `not-in-time`: the search ended before all were searched. `needs-table`: every table has a file of
    this name. `unknown-table`: no warehouse has the table of the path. `no-name`: no file is called so.
    """

    name = Text()
    kind = choice(*KINDS, allow_null=True)
    verdict = choice(*VERDICTS)
    items = ObjectPlaceSerializer(many=True)
    searched = SearchedSerializer()
