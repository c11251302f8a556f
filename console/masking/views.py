"""Masking policies: who administers access sets them and takes them away."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response

from console.accounts.roles import Permission
from console.api.errors import Problem
from console.api.etags import require_match
from console.api.listing import Field, Kind, Listing, ListQuery, Page
from console.api.querysets import page_of_queryset
from console.api.views import ApiView, ListView
from console.masking.models import MaskingPolicy
from console.masking.serializers import MaskingPolicySerializer

ADMIN = Permission.ACCESS_MANAGE


class MaskingPolicyListView(ListView):
    """How values of columns are told to those who are not told them as they are."""

    permissions = {"GET": ADMIN, "POST": ADMIN}
    item = MaskingPolicySerializer
    requests = {"POST": MaskingPolicySerializer}
    responses = {"POST": (201, MaskingPolicySerializer)}
    listing = Listing(
        key="id",
        fields={
            "id": Field(Kind.NUMBER),
            "warehouse": Field(),
            "database": Field(),
            "table": Field(),
            "column": Field(),
            "kind": Field(),
        },
        default_sort="id",
    )

    def load(self, query: ListQuery) -> Page:
        return page_of_queryset(MaskingPolicy.objects.all(), self.listing, query)

    def post(self, request: Request) -> Response:
        form = MaskingPolicySerializer(data=request.data)
        form.is_valid(raise_exception=True)
        row = form.save(created_by=request.user.get_username())
        reply = Response(MaskingPolicySerializer(row).data, 201)
        reply["Location"] = f"{request.path}/{row.pk}"
        return reply


class MaskingPolicyView(ApiView):
    """One masking policy."""

    permissions = dict.fromkeys(("GET", "DELETE"), ADMIN)
    responses = {"GET": MaskingPolicySerializer}

    def get(self, request: Request, policy: int) -> Response:
        return Response(MaskingPolicySerializer(self._row(policy)).data)

    def delete(self, request: Request, policy: int) -> Response:
        row = self._row(policy)
        require_match(request, MaskingPolicySerializer(row).data)
        self._gone = str(row)
        row.delete()
        return Response(status=204)

    def audit_detail(self) -> dict[str, str]:
        gone: str | None = getattr(self, "_gone", None)
        return {} if gone is None else {"policy": gone}

    def _row(self, pk: int) -> MaskingPolicy:
        row = MaskingPolicy.objects.filter(pk=pk).first()
        if row is None:
            raise Problem("not-found", kind="masking policy", name=pk)
        return row
