"""The admin site: the console's own sign-in, roles and audit in place of Django's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from django.contrib.admin import AdminSite, ModelAdmin
from django.core.exceptions import PermissionDenied
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.defaultfilters import filesizeformat
from django.template.response import TemplateResponse

from console.accounts.authentication import remote_address
from console.accounts.models import User
from console.accounts.roles import EVERYTHING, Access, Permission, Scope
from console.audit.log import record
from console.inspector.keeping import disk
from console.staff.words import words


def access_of(request: HttpRequest) -> Access:
    """What the person may do; a stranger, nothing."""
    return request.user.access() if isinstance(request.user, User) else Access()


def tell(request: HttpRequest, action: str, target: object, outcome: str = "ok", **detail: Any) -> None:
    """Write what a person did here to the audit log."""
    record(
        action=f"staff: {action}",
        outcome=outcome,
        actor=request.user.get_username(),
        target=str(target)[:500],
        address=remote_address(request),
        detail=detail,
    )


if TYPE_CHECKING:
    RowAdmin = ModelAdmin[Any]
else:
    RowAdmin = ModelAdmin  # which cannot be subscripted


def metadata_cache() -> dict[str, Any] | None:
    """What the metadata cache holds, and what was asked of it in a day; None where there is none."""
    cache = disk()
    if cache is None:
        return None
    kept, counts = cache.kept(), cache.counts()
    return {
        "title": words("Metadata kept on disk", "磁盘上的元数据缓存"),
        "rows": (
            (words("entries", "条目"), kept.entries),
            (words("size", "大小"), filesizeformat(kept.bytes)),
            (words("at most", "上限"), filesizeformat(cache.limit)),
            (words("answered from it", "命中"), counts.hits),
            (words("asked of the store", "未命中"), counts.misses),
            (words("damaged, and dropped", "损坏并丢弃"), counts.damaged),
            (words("not written for want of room", "因空间不足未写入"), counts.unwritten),
            (words("swept away", "已清理"), counts.swept),
        ),
    }


class StaffSite(AdminSite):
    """For who administers something: everything, or one warehouse."""

    site_header = site_title = "Lakescope"
    index_title = words("Administration", "管理")
    site_url = "/"
    enable_nav_sidebar = False
    index_template = "staff/index.html"

    def has_permission(self, request: HttpRequest) -> bool:
        return access_of(request).anywhere(Permission.SYSTEM_READ)

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> TemplateResponse:
        """What there is; for who administers everything also what the cache on disk holds and saves."""
        shown = metadata_cache() if access_of(request).allows(Permission.SYSTEM_READ) else None
        found: TemplateResponse = super().index(request, {"metadata": shown, **(extra_context or {})})
        return found

    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """The console's own sign-in, with its lock-out; who is signed in and no staff is refused."""
        if request.user.is_authenticated:
            tell(request, "open", request.path, outcome="denied")
            raise PermissionDenied
        wanted = request.GET.get("next") or request.path
        return HttpResponseRedirect(f"/sign-in?next={quote(wanted, safe='/')}")

    def logout(  # type: ignore[override]  # no template, but a redirect
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        from console.web.views import sign_out

        return sign_out(request)

    def password_change(  # type: ignore[override]  # the same
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Where every person changes it."""
        return HttpResponseRedirect("/account")


class GuardedAdmin(RowAdmin):
    """Rows that the person's roles let them see. Nothing is added, changed or deleted but by actions."""

    permission: Permission
    of_a_warehouse = False  # whether a role in one warehouse lets a person see some of the rows
    list_per_page = 50
    show_full_result_count = False

    def scope_of(self, row: Any) -> Scope:
        """Where a role has to hold for this row."""
        return EVERYTHING

    def visible(self, rows: QuerySet[Any], access: Access) -> QuerySet[Any]:
        """Those that `access` covers."""
        return rows if access.allows(self.permission) else rows.none()

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return self.visible(super().get_queryset(request), access_of(request))

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        """By what the page offers: any other condition finds out what is in fields that are not shown."""
        filters: Sequence[Any] = self.list_filter
        names = {self.date_hierarchy, *(each if isinstance(each, str) else each[0] for each in filters)}
        allowed: bool = super().lookup_allowed(lookup, value, request)  # type: ignore[arg-type]
        return lookup.partition("__")[0] in names and allowed

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        access = access_of(request)
        if obj is not None:
            return access.allows(self.permission, self.scope_of(obj))
        return access.anywhere(self.permission) if self.of_a_warehouse else access.allows(self.permission)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def log_addition(self, request: HttpRequest, obj: Model, message: Any) -> Any:
        tell(request, "add", self._target(obj))

    def log_change(self, request: HttpRequest, obj: Model, message: Any) -> Any:
        tell(request, "change", self._target(obj), fields=self._changed(message))

    def log_deletions(self, request: HttpRequest, queryset: QuerySet[Any]) -> Any:
        for row in queryset:
            tell(request, "delete", self._target(row))

    @staticmethod
    def _target(row: Model) -> str:
        return f"{row._meta.model_name}:{row}"

    @staticmethod
    def _changed(message: Any) -> list[str]:
        """The names of the fields that a form changed; their values may be secret."""
        parts = message if isinstance(message, list) else []
        return sorted({name for part in parts for name in part.get("changed", {}).get("fields", [])})
