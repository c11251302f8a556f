"""What staff see: warehouses, tables, jobs, tokens, audit log, identity providers. No secret is a field."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django import forms
from django.contrib.admin import AllValuesFieldListFilter, RelatedOnlyFieldListFilter, TabularInline, display
from django.core.exceptions import ValidationError
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse

from console.accounts.models import ApiToken
from console.accounts.roles import Access, Permission, Scope
from console.audit.models import AuditEvent
from console.jobs.models import Job
from console.jobs.presentation import scope_of
from console.jobs.visibility import visible_jobs
from console.openid.client import problem_of
from console.openid.models import GroupRole, Identity, Provider
from console.staff import actions
from console.staff.site import GuardedAdmin, StaffSite, access_of, tell
from console.staff.words import CHINESE, value_words, words
from console.warehouses.models import TableStatistics, Warehouse

site = StaffSite(name="staff")


def worded(field: str) -> Any:
    """A column that shows a field of a row, such as `job.state`, in words; sorted as the field is."""
    name = field.partition(".")[2]

    @display(description=words(name, CHINESE[name]), ordering=name)
    def column(row: Any) -> str:
        return value_words(field, getattr(row, name))

    column.__name__ = f"{name}_in_words"
    return column


class WordedFilter(AllValuesFieldListFilter):
    """A filter whose values are shown in words."""

    def choices(self, changelist: Any) -> Iterator[Any]:
        field = f"{self.field.model._meta.model_name}.{self.field.name}"
        for number, choice in enumerate(super().choices(changelist)):
            words = {} if number == 0 else {"display": value_words(field, choice["display"])}
            yield {**choice, **words}


SEEN_WAREHOUSES = ("warehouse", RelatedOnlyFieldListFilter)  # no names of others


class WarehouseAdmin(GuardedAdmin):
    permission = Permission.WAREHOUSE_MANAGE
    of_a_warehouse = True
    list_display = ("name", "location", worded("warehouse.state"), "checked_at")
    list_filter = (("state", WordedFilter),)
    search_fields = ("name", "location")
    fields = ("name", "location", "description", "options", worded("warehouse.state"), "error",
              "checked_at", "created_at")  # fmt: skip
    actions = (actions.check, actions.measure)

    def scope_of(self, row: Warehouse) -> Scope:
        return Scope(row.name)

    def visible(self, rows: QuerySet[Any], access: Access) -> QuerySet[Any]:
        return rows.filter(name__in=_managed(access))


def _managed(access: Access) -> list[str]:
    """The names of the warehouses that the person administers."""
    names = Warehouse.objects.values_list("name", flat=True)
    return [name for name in names if access.allows(Permission.WAREHOUSE_MANAGE, Scope(name))]


class TableAdmin(GuardedAdmin):
    permission = Permission.WAREHOUSE_MANAGE
    of_a_warehouse = True
    list_display = ("name", "database", "warehouse", worded("tablestatistics.kind"), "files", "bytes",
                    "last_commit_at")  # fmt: skip
    list_filter = (SEEN_WAREHOUSES, ("kind", WordedFilter))
    search_fields = ("name", "database")
    list_select_related = ("warehouse",)
    fields = ("warehouse", "database", "name", worded("tablestatistics.kind"), "bucket_mode", "buckets",
              "rows", "bytes", "files", "partitions", "snapshot", "snapshots", "last_commit_at",
              "measured_at", "error")  # fmt: skip
    actions = (actions.compact,)

    def scope_of(self, row: TableStatistics) -> Scope:
        return Scope(row.warehouse.name, row.database, row.name)

    def visible(self, rows: QuerySet[Any], access: Access) -> QuerySet[Any]:
        return rows.filter(warehouse__name__in=_managed(access))


class JobAdmin(GuardedAdmin):
    permission = Permission.META_READ
    of_a_warehouse = True
    list_display = ("public_id", worded("job.kind"), "table_name", worded("job.state"), "requested_by",
                    "created_at", "ended_at")  # fmt: skip
    list_filter = (("state", WordedFilter), ("kind", WordedFilter), SEEN_WAREHOUSES)
    search_fields = ("public_id", "table", "requested_by__username")
    list_select_related = ("warehouse", "requested_by")
    fields = ("public_id", worded("job.kind"), "level", worded("job.state"), "warehouse", "database",
              "table", "branch", "requested_by", "reason", "retry_of", "created_at", "started_at",
              "ended_at", "phases", "progress", "result", "problem_code", "owner", "heartbeat_at", "attempt",
              "trace_id")  # fmt: skip
    actions = (actions.cancel, actions.retry)

    @display(description=words("table", CHINESE["table"]))
    def table_name(self, row: Job) -> str:
        return row.table_name

    @display(description=words("problem", CHINESE["problem"]))
    def problem_code(self, row: Job) -> str:
        """Its code: the sentence may quote values of rows, and is on the job's page for who may read them."""
        return str((row.problem or {}).get("code") or "-")

    def scope_of(self, row: Job) -> Scope:
        return scope_of(row)

    def visible(self, rows: QuerySet[Any], access: Access) -> QuerySet[Any]:
        return visible_jobs(access)


class TokenAdmin(GuardedAdmin):
    permission = Permission.ACCESS_MANAGE
    list_display = ("public_id", "name", "user", "expiry", "last_used_at", "last_used_address")
    search_fields = ("public_id", "name", "user__username")
    fields = ("public_id", "name", "user", "scopes", "networks", "created", "expiry", "last_used_at",
              "last_used_address")  # fmt: skip
    actions = (actions.revoke,)


class AuditAdmin(GuardedAdmin):
    """Rows that are only read; reading them is one more row."""

    permission = Permission.AUDIT_READ
    list_display = ("at", "actor", "action", "target", worded("auditevent.outcome"), "address")
    list_filter = (("outcome", WordedFilter),)
    search_fields = ("actor", "action", "target", "job_id", "plan_id", "trace_id")
    date_hierarchy = "at"
    fields = ("at", "number", "actor", "token", "address", "action", "target",
              worded("auditevent.outcome"), "plan_id", "job_id", "trace_id", "detail",
              "previous_hash", "hash")  # fmt: skip

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        tell(request, "read audit log", request.get_full_path())
        return super().changelist_view(request, extra_context)


class ProviderForm(forms.ModelForm):  # type: ignore[type-arg]  # it cannot be subscripted
    """A provider is saved only if it would do: it is asked."""

    client_secret = forms.CharField(
        required=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
        label=words("client secret", CHINESE["client_secret"]),
        help_text=words(
            "Never shown. Empty: the one of before; of a new provider: none.",
            "不会显示。留空：保持原值；新的提供方则没有。",
        ),
    )

    class Meta:
        model = Provider
        fields = ("name", "label", "issuer", "client_id", "client_secret", "scopes", "username_claim",
                  "groups_claim", "creates_people", "links_by_username", "is_enabled")  # fmt: skip

    def clean(self) -> dict[str, Any]:
        given: dict[str, Any] = super().clean() or {}
        if given.get("client_secret"):
            self.instance.client_secret = given["client_secret"]
        return given

    def _post_clean(self) -> None:
        """After the fields have been put into the row: only then can it be asked."""
        super()._post_clean()  # type: ignore[misc]  # not public, and the one place after that
        if self.errors or not self.instance.is_enabled:
            return
        problem = problem_of(self.instance)
        if problem is not None:
            self.add_error("issuer", ValidationError(f"{problem.code}: {problem.found}"))


class GroupRoleInline(TabularInline):  # type: ignore[type-arg]  # the same
    model = GroupRole
    extra = 1

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return access_of(request).allows(Permission.ACCESS_MANAGE)

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return self.has_view_permission(request)

    has_change_permission = has_delete_permission = has_view_permission


class EditableAdmin(GuardedAdmin):
    """Rows that the API does not have: they are edited here, by who manages access everywhere."""

    permission = Permission.ACCESS_MANAGE

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return access_of(request).allows(self.permission)

    has_delete_permission = has_change_permission

    def has_add_permission(self, request: HttpRequest) -> bool:
        return access_of(request).allows(self.permission)


class ProviderAdmin(EditableAdmin):
    form = ProviderForm
    list_display = ("name", "label", "issuer", "is_enabled")
    inlines = (GroupRoleInline,)


class IdentityAdmin(EditableAdmin):
    list_display = ("user", "provider", "subject", "last_used_at")
    fields = ("provider", "subject", "user")
    search_fields = ("user__username", "subject")


for model, admin in (
    (Warehouse, WarehouseAdmin),
    (TableStatistics, TableAdmin),
    (Job, JobAdmin),
    (ApiToken, TokenAdmin),
    (AuditEvent, AuditAdmin),
    (Provider, ProviderAdmin),
    (Identity, IdentityAdmin),
):
    site.register(model, admin)
