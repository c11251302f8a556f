"""The OpenAPI document, from what views declare: `responses`, `requests`, `parameters`, and listings."""

from __future__ import annotations

from functools import cache
from typing import Any

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse
from rest_framework import serializers

from console.api.errors import MEDIA_TYPE
from console.api.listing import DEFAULT_LIMIT, MAX_LIMIT, OPERATORS, Field, Kind, Listing
from console.api.naming import operation_id

# A plan shows its parameters as they were given: what was left out stays out.
ECHOED = frozenset(
    {"WriteParams", "CompactParams", "RollbackParams", "RollbackTarget", "Source", "QueryView"}
)
_JSON_TYPES = {Kind.NUMBER: "integer", Kind.BYTES: "string", Kind.TIME: "string", Kind.FLAG: "boolean"}


class ProblemErrorSerializer(serializers.Serializer[Any]):
    pointer = serializers.CharField()
    code = serializers.CharField()
    detail = serializers.CharField()


class ProblemSerializer(serializers.Serializer[Any]):
    """RFC 9457. `code` is stable; some codes come with further members."""

    type = serializers.URLField()
    title = serializers.CharField()
    status = serializers.IntegerField()
    detail = serializers.CharField()
    instance = serializers.CharField()
    code = serializers.CharField()
    trace_id = serializers.CharField()
    errors = ProblemErrorSerializer(many=True)  # type: ignore[assignment]  # the reply has a member of this name
    help = serializers.CharField(help_text="A page of this console on the code.")


GOES_ON = (
    "It takes longer than `Prefer: wait=N` (at most 10 s) and goes on. Location is an operation to ask "
    "after; its result says that the request can be sent again."
)


@cache
def page_of(item: type[serializers.BaseSerializer[Any]]) -> type[serializers.Serializer[Any]]:
    """The serializer of a page of items."""
    name = item.__name__.removesuffix("Serializer")
    fields = {
        "items": item(many=True),
        "next": serializers.CharField(allow_null=True, help_text="The cursor of the next page."),
        "total": serializers.IntegerField(allow_null=True, help_text="Null where counting would be costly."),
        "as_of": serializers.CharField(allow_null=True, help_text="The snapshot that the page shows."),
        **getattr(item, "page_extra", {}),
    }
    return type(f"{name}PageSerializer", (serializers.Serializer,), fields)


class ApiSchema(AutoSchema):
    """Reads the declarations of our views."""

    def get_operation_id(self) -> str:
        return operation_id(type(self.view), self.method)

    def get_tags(self) -> list[str]:
        return [self.view.__module__.split(".")[1]]

    def get_summary(self) -> str | None:
        return (type(self.view).__doc__ or "").strip().partition("\n")[0] or None

    def get_description(self) -> str:  # type: ignore[override]  # spectacular calls it so
        return str(getattr(self.view, "descriptions", {}).get(self.method, ""))

    def get_request_serializer(self) -> Any:
        return getattr(self.view, "requests", {}).get(self.method)

    def get_response_serializers(self) -> Any:
        declared = getattr(self.view, "responses", {}).get(self.method)
        if (
            declared is None
            and isinstance(getattr(self.view, "listing", None), Listing)
            and self.method == "GET"
        ):
            declared = page_of(self.view.item)  # type: ignore[attr-defined]  # a ListView has one
        status, body = (
            declared if isinstance(declared, tuple) else (204 if declared is None else 200, declared)
        )
        media_type = getattr(self.view, "media_type", "application/json")
        answers: dict[Any, Any] = {(str(status), media_type): body} if body else {str(status): None}
        if getattr(self.view, "may_go_on", False):
            answers["202"] = OpenApiResponse(description=GOES_ON)
        for problem in ("400", "401", "403", "404", "default"):
            answers[problem, MEDIA_TYPE] = OpenApiResponse(ProblemSerializer)
        return answers

    def get_override_parameters(self) -> list[Any]:
        declared = list(getattr(self.view, "parameters", {}).get(self.method, []))
        listing = getattr(self.view, "listing", None)
        if isinstance(listing, Listing) and self.method == "GET":
            declared += _list_parameters(listing)
        if self.method in ("PATCH", "DELETE"):
            declared.append(_header("If-Match", "The ETag of what was read.", required=True))
        if getattr(getattr(self.view, self.method.lower()), "__wrapped__", None):
            declared.append(_header("Idempotency-Key", "New for each new request; kept 24 h.", required=True))
        return declared


def _header(name: str, description: str, *, required: bool) -> OpenApiParameter:
    return OpenApiParameter(name, str, OpenApiParameter.HEADER, required=required, description=description)


def _list_parameters(listing: Listing) -> list[OpenApiParameter]:
    sortable = sorted({name for name, f in listing.fields.items() if f.sort} | {listing.key})
    return [
        OpenApiParameter(
            "limit", {"type": "integer", "minimum": 1, "maximum": MAX_LIMIT, "default": DEFAULT_LIMIT}
        ),
        OpenApiParameter("cursor", str, description="`next` of the page before."),
        OpenApiParameter(
            "sort",
            str,
            description=f"Fields, `-` for descending: {', '.join(sortable)}. Default {listing.default_sort}.",
        ),
        OpenApiParameter("fields", str, description="Only these members of the items, comma-separated."),
        *(_filter_parameter(name, field) for name, field in sorted(listing.filters().items())),
    ]


def _filter_parameter(name: str, field: Field) -> OpenApiParameter:
    """`level[ge]=1`; `level=1` is short for `level[eq]=1`."""
    kind = _JSON_TYPES.get(field.kind, "string")
    properties = {
        op: {"type": "boolean" if op == "null" else "string" if op == "in" else kind}
        for op in OPERATORS[field.kind]
    }
    return OpenApiParameter(
        name,
        {"type": "object", "properties": properties, "additionalProperties": False},
        style="deepObject",
        explode=True,
        description=f"Filter. `{name}=…` is short for `{name}[eq]=…`.",
    )


def finish(result: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
    """The document with what all operations share, and replies in which nothing is optional."""
    for item in result["paths"].values():
        if "get" in item:
            item["get"]["responses"].setdefault("304", {"description": "Not changed since If-None-Match."})
    for name, schema in result["components"]["schemas"].items():
        if not name.endswith("Request") and name not in ECHOED and "properties" in schema:
            schema["required"] = sorted(schema["properties"])
    _drop(result, "x-spec-enum-id")
    return result


def _drop(node: Any, key: str) -> None:
    """Remove a key of the generator's own from everywhere below `node`."""
    if isinstance(node, dict):
        node.pop(key, None)
    for inner in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        _drop(inner, key)
