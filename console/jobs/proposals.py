"""`T/schemas/proposals`: what the table's schema would become, before anything is written."""

from __future__ import annotations

from typing import Any, NoReturn

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from console.accounts.roles import Permission
from console.api.errors import invalid
from console.api.fields import choice
from console.inspector.base import TableView
from console.inspector.serializers.schemas import ProposalSummarySerializer, SchemaDiffSerializer
from console.jobs.notices import shown
from console.jobs.planning.places import SourceError, check_source
from console.jobs.planning.write import looked_at
from console.jobs.proposing import propose, rules_of, worded
from console.jobs.refusals import told
from console.jobs.serializers.parts import NoticeSerializer, Serializer, Text
from console.jobs.serializers.write import QueryViewSerializer
from core.arrow import fields_from_arrow
from core.errors import InvalidRequestError, UnsupportedError
from core.schema import PastedForm, parse_pasted
from core.schema.pasted import MAX_LENGTH
from core.types import DataField

Flag = serializers.BooleanField
FILE = "file"


class SchemaProposalQuerySerializer(Serializer):
    """Exactly one of `text` and `file`, and how far the table is to follow it."""

    text = Text(
        required=False,
        max_length=MAX_LENGTH,
        trim_whitespace=False,
        help_text="A schema file of Paimon, what Spark's DataFrame.schema.json() gives, or columns of SQL.",
    )
    file = QueryViewSerializer(required=False)
    type_widening = Flag(default=False, help_text="Columns take the wider type of the rows.")
    explicit_casts = Flag(default=False, help_text="Also where values may change.")
    branch = Text(default="main", max_length=255)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("text" in attrs) == ("file" in attrs):
            raise serializers.ValidationError("Give exactly one of text and file.")
        return attrs


class SchemaProposalSerializer(SchemaDiffSerializer):
    """As the difference of two schemas; `to` is the id that the next schema would have."""

    summary = ProposalSummarySerializer()
    form = choice(*(form.value for form in PastedForm), FILE, help_text="As what the columns were read.")
    changes = Flag(help_text="Whether the table needs another schema to hold such rows.")
    problems = NoticeSerializer(many=True, help_text="Why such rows could not be written; empty: they could.")


class SchemaProposalView(TableView):
    """What merging a pasted schema, or that of a file, would make of the table's. Writes nothing."""

    permissions = {"POST": Permission.META_READ}
    requests = {"POST": SchemaProposalQuerySerializer}
    responses = {"POST": SchemaProposalSerializer}
    parameters = {}
    may_go_on = False

    @property
    def branch(self) -> str:
        asked = self.request.data
        return str(asked.get("branch") or "main") if isinstance(asked, dict) else "main"

    def post(self, request: Request, **path: str) -> Response:
        form = SchemaProposalQuerySerializer(data=request.data)
        form.is_valid(raise_exception=True)
        asked = form.validated_data
        incoming, read_as = self._columns(asked)
        try:
            proposed = propose(self.opened, incoming, rules_of(asked))
        except InvalidRequestError as error:
            _refuse("text" if "text" in asked else "path", error)
        view = proposed.diff | {
            "rows": worded(proposed.diff["rows"]),
            "form": read_as,
            "changes": proposed.schema.id != proposed.diff["from"],
            "problems": [shown(problem) for problem in proposed.problems],
        }
        return Response(SchemaProposalSerializer(view).data)

    def _columns(self, asked: dict[str, Any]) -> tuple[tuple[DataField, ...], str]:
        if "text" in asked:
            try:
                fields, form = parse_pasted(asked["text"])
            except (InvalidRequestError, UnsupportedError) as error:
                _refuse("text", error)
            return fields, form.value
        source = {"kind": "path", **asked["file"]}
        try:
            check_source(source, self.access)
            schema = looked_at(source).schema
            if schema is None:
                raise SourceError(
                    "its columns cannot be told without reading it", "不读取其数据就无法得知它的列"
                )
            return fields_from_arrow(schema), FILE
        except (SourceError, UnsupportedError) as error:
            _refuse("path", error)


def _refuse(field: str, error: Exception) -> NoReturn:
    raise invalid(f"/file/{field}" if field == "path" else f"/{field}", told(error)) from error
