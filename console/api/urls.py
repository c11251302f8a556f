"""The addresses of the API, below /api/v1/."""

from django.urls import path, re_path, register_converter
from django.urls.converters import IntConverter

from console.accounts import saved_views
from console.accounts import views as accounts
from console.api import meta
from console.api.views import NothingHereView
from console.audit import views as audit
from console.inspector import bucket_views as buckets
from console.inspector import commit_views as commits
from console.inspector import file_views as files
from console.inspector import object_views as objects
from console.inspector import search_views as search
from console.inspector import system_views as system
from console.inspector import typed_views as typed
from console.inspector import views as inspector
from console.jobs import schedule_views as schedules
from console.jobs import view_run_views as runs
from console.jobs import views as jobs
from console.jobs.proposals import SchemaProposalView
from console.masking import views as masking
from console.queries import views as queries
from console.warehouses import tree, watches
from console.warehouses import views as warehouses


class SignedConverter(IntConverter):
    """Buckets go below 0: -2 holds what is not distributed yet."""

    regex = "-?[0-9]+"


register_converter(SignedConverter, "signed")

TABLE = "warehouses/<str:warehouse>/databases/<str:database>/tables/<str:table>"
VIEW = "warehouses/<str:warehouse>/databases/<str:database>/views/<str:view>"
SNAPSHOT = f"{TABLE}/snapshots/<str:snapshot>"
FILE = f"{TABLE}/files/<str:file>"

urlpatterns = [
    path("me", accounts.MeView.as_view()),
    path("me/password", accounts.PasswordView.as_view()),
    path("me/tree", tree.TreeView.as_view()),
    path("meta", meta.MetaView.as_view()),
    path("operations/<str:operation>", meta.OperationView.as_view()),
    path("openapi.json", meta.OpenApiView.as_view()),
    path("users", accounts.UserListView.as_view()),
    path("users/<int:user>", accounts.UserView.as_view()),
    path("role-bindings", accounts.RoleBindingListView.as_view()),
    path("role-bindings/<int:binding>", accounts.RoleBindingView.as_view()),
    path("masking-policies", masking.MaskingPolicyListView.as_view()),
    path("masking-policies/<int:policy>", masking.MaskingPolicyView.as_view()),
    path("tokens", accounts.TokenListView.as_view()),
    path("tokens/<str:token>", accounts.TokenView.as_view()),
    path("saved-views", saved_views.SavedViewListView.as_view()),
    path("saved-views/<int:view>", saved_views.SavedViewView.as_view()),
    path("watches", watches.WatchListView.as_view()),
    path("watches/<int:watch>", watches.WatchView.as_view()),
    path("audit-events", audit.AuditEventListView.as_view()),
    path("audit-days", audit.AuditDayListView.as_view()),
    path("audit-days/<str:day>", audit.AuditDayView.as_view()),
    path("warehouses", warehouses.WarehouseListView.as_view()),
    path("warehouse-kinds", warehouses.WarehouseKindsView.as_view()),
    path("warehouse-checks", warehouses.NewWarehouseCheckView.as_view()),
    path("warehouses/<str:warehouse>", warehouses.WarehouseView.as_view()),
    path("warehouses/<str:warehouse>/checks", warehouses.WarehouseCheckView.as_view()),
    path("warehouses/<str:warehouse>/system", system.WarehouseSystemTableListView.as_view()),
    path("warehouses/<str:warehouse>/system/<str:system>", system.WarehouseSystemTableView.as_view()),
    path("warehouses/<str:warehouse>/databases", warehouses.DatabaseListView.as_view()),
    path("warehouses/<str:warehouse>/databases/<str:database>", warehouses.DatabaseView.as_view()),
    path("warehouses/<str:warehouse>/databases/<str:database>/views", objects.ViewListView.as_view()),
    path(VIEW, objects.ViewView.as_view()),
    path(f"{VIEW}/runs", runs.ViewRunListView.as_view()),
    path(f"{VIEW}/runs/<str:job>", runs.ViewRowsView.as_view()),
    path("warehouses/<str:warehouse>/databases/<str:database>/functions", objects.FunctionListView.as_view()),
    path(
        "warehouses/<str:warehouse>/databases/<str:database>/functions/<str:function>",
        objects.FunctionView.as_view(),
    ),
    path(
        "warehouses/<str:warehouse>/databases/<str:database>/tables",
        warehouses.DatabaseTableListView.as_view(),
    ),
    path("tables", warehouses.TableSearchView.as_view()),
    path("objects", search.ObjectSearchView.as_view()),
    path(TABLE, inspector.TableOverviewView.as_view()),
    path(f"{TABLE}/type", typed.TableTypeView.as_view()),
    path(f"{TABLE}/objects/<path:object>", typed.ObjectContentView.as_view()),
    path(f"{TABLE}/storage", inspector.StorageView.as_view()),
    path(f"{TABLE}/retention", inspector.RetentionView.as_view()),
    path(f"{TABLE}/snapshots", commits.CommitListView.as_view()),
    path(SNAPSHOT, commits.CommitView.as_view()),
    path(f"{SNAPSHOT}/changes", commits.ChangeListView.as_view()),
    path(f"{SNAPSHOT}/changes/groups", commits.ChangeGroupListView.as_view()),
    path(f"{SNAPSHOT}/index-changes", commits.IndexChangeListView.as_view()),
    path(f"{SNAPSHOT}/manifests", commits.ManifestTreeView.as_view()),
    path(f"{SNAPSHOT}/manifests/reach", commits.ManifestReachView.as_view()),
    path(f"{SNAPSHOT}/stats", commits.SnapshotStatsView.as_view()),
    path(f"{TABLE}/manifests/<str:manifest>/entries", commits.ManifestEntryListView.as_view()),
    path(f"{TABLE}/compare", commits.CompareView.as_view()),
    path(f"{TABLE}/files", files.FileListView.as_view()),
    path(FILE, files.FileView.as_view()),
    path(f"{FILE}/lineage", files.FileLineageView.as_view()),
    path(f"{FILE}/footer", files.FileFooterView.as_view()),
    path(f"{FILE}/indexes", files.FileIndexesView.as_view()),
    path(f"{TABLE}/indexes", files.IndexesView.as_view()),
    path(f"{TABLE}/indexes/<str:index>", files.IndexFileView.as_view()),
    path(f"{TABLE}/partitions", buckets.PartitionListView.as_view()),
    path(f"{TABLE}/buckets", buckets.BucketListView.as_view()),
    path(f"{TABLE}/heatmap", buckets.HeatmapView.as_view()),
    # a partition's text can hold a slash
    path(f"{TABLE}/buckets/<path:partition>/<signed:bucket>/lsm", buckets.LsmView.as_view()),
    path(f"{TABLE}/buckets/<path:partition>/<signed:bucket>/commits", buckets.BucketCommitsView.as_view()),
    path(f"{TABLE}/buckets/<path:partition>/<signed:bucket>/probe", buckets.KeyProbeView.as_view()),
    path(f"{TABLE}/schemas", inspector.SchemaListView.as_view()),
    path(f"{TABLE}/fields/<int:field>/history", inspector.FieldHistoryView.as_view()),
    path(f"{TABLE}/schemas/diff", inspector.SchemaDiffView.as_view()),
    path(f"{TABLE}/schemas/proposals", SchemaProposalView.as_view()),
    path(f"{TABLE}/schemas/<int:schema>", inspector.SchemaView.as_view()),
    path(f"{TABLE}/options", inspector.OptionListView.as_view()),
    path(f"{TABLE}/options/<str:option>/history", inspector.OptionHistoryView.as_view()),
    path(f"{TABLE}/held", inspector.HeldView.as_view()),
    path(f"{TABLE}/tags", inspector.TagListView.as_view()),
    path(f"{TABLE}/branches", inspector.BranchListView.as_view()),
    path(f"{TABLE}/consumers", inspector.ConsumerListView.as_view()),
    path(f"{TABLE}/system", system.SystemTableListView.as_view()),
    path(f"{TABLE}/system/<str:system>", system.SystemTableView.as_view()),
    path(f"{TABLE}/preview", queries.PreviewView.as_view()),
    path(f"{TABLE}/refresh-schedule", schedules.RefreshScheduleView.as_view()),
    path(f"{TABLE}/plans", jobs.TablePlanListView.as_view()),
    path(f"{TABLE}/plans/preview", jobs.PlanPreviewView.as_view()),
    path("plans/<str:plan>", jobs.PlanView.as_view()),
    path("jobs", jobs.JobListView.as_view()),
    path("jobs/<str:job>", jobs.JobView.as_view()),
    path("jobs/<str:job>/events", jobs.JobEventListView.as_view()),
    path("jobs/<str:job>/logs", jobs.JobLogView.as_view()),
    path("jobs/<str:job>/cancel", jobs.JobCancelView.as_view()),
    path("jobs/<str:job>/retry", jobs.JobRetryView.as_view()),
    re_path(r"^[\s\S]*$", NothingHereView.as_view()),
]
