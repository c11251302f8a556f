"""What of the tree of warehouses a person has left open: the same in every browser. Design: 5."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from console.accounts.views import person
from console.api.views import ApiView
from console.warehouses.models import OpenNodes

MOST_NODES = 500
_LONGEST = 600  # characters of a warehouse's and a database's name


class TreeSerializer(serializers.Serializer[Any]):
    open = serializers.ListField(
        child=serializers.CharField(max_length=_LONGEST),
        max_length=MOST_NODES,
        help_text="Nodes that are open, as `warehouse` and `warehouse/database`; in the order of opening.",
    )


class TreeView(ApiView):
    """The caller's own tree. What is written last stays."""

    permissions = dict.fromkeys(("GET", "PUT"))
    requests = {"PUT": TreeSerializer}
    responses = {"GET": TreeSerializer, "PUT": TreeSerializer}
    audits_changes = False  # it changes nothing but what this person sees opened

    def get(self, request: Request) -> Response:
        kept = OpenNodes.objects.filter(user=person(request)).first()
        return Response({"open": kept.nodes if kept else []})

    def put(self, request: Request) -> Response:
        form = TreeSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        nodes = list(dict.fromkeys(form.validated_data["open"]))
        OpenNodes.objects.update_or_create(user=person(request), defaults={"nodes": nodes})
        return Response({"open": nodes})
