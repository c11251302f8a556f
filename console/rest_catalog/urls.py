"""The addresses of the catalog, below /v1/. Spec: 04, C4."""

from django.urls import path, re_path

from console.rest_catalog import databases, partitions, refs, snapshots, tables, views
from console.rest_catalog.base import UnsupportedView

ALL = "<str:warehouse>"
DATABASE = f"{ALL}/databases/<str:database>"
TABLE = f"{DATABASE}/tables/<str:table>"

urlpatterns = [
    path("config", databases.ConfigView.as_view()),
    path(f"{ALL}/databases", databases.DatabaseListView.as_view()),
    path(DATABASE, databases.DatabaseView.as_view()),
    path(f"{ALL}/tables", tables.AllTableListView.as_view()),
    path(f"{ALL}/tables/id/<str:id>", tables.TableByIdView.as_view()),
    path(f"{ALL}/tables/rename", tables.TableRenameView.as_view()),
    path(f"{DATABASE}/tables", tables.TableListView.as_view()),
    path(f"{DATABASE}/table-details", tables.TableDetailListView.as_view()),
    path(f"{DATABASE}/register", tables.TableRegisterView.as_view()),
    path(TABLE, tables.TableView.as_view()),
    path(f"{TABLE}/replace", tables.TableReplaceView.as_view()),
    path(f"{TABLE}/commit", snapshots.CommitView.as_view()),
    path(f"{TABLE}/rollback", snapshots.RollbackView.as_view()),
    path(f"{TABLE}/rollback-schema", tables.SchemaRollbackView.as_view()),
    path(f"{TABLE}/token", partitions.TokenView.as_view()),
    path(f"{TABLE}/auth", partitions.AuthView.as_view()),
    path(f"{TABLE}/snapshot", snapshots.LatestSnapshotView.as_view()),
    path(f"{TABLE}/snapshots", snapshots.SnapshotListView.as_view()),
    path(f"{TABLE}/snapshots/<str:version>", snapshots.SnapshotView.as_view()),
    path(f"{TABLE}/partitions", partitions.PartitionListView.as_view()),
    path(f"{TABLE}/partitions/drop", partitions.PartitionDropView.as_view()),
    path(f"{TABLE}/partitions/mark", partitions.PartitionMarkView.as_view()),
    path(f"{TABLE}/partitions/list-by-names", partitions.PartitionNameView.as_view()),
    path(f"{TABLE}/partitions/list-by-filter", partitions.PartitionFilterView.as_view()),
    path(f"{TABLE}/branches", refs.BranchListView.as_view()),
    path(f"{TABLE}/branches/<str:branch>", refs.BranchView.as_view()),
    path(f"{TABLE}/branches/<str:branch>/forward", refs.BranchForwardView.as_view()),
    path(f"{TABLE}/branches/<str:branch>/rename", refs.BranchRenameView.as_view()),
    path(f"{TABLE}/tags", refs.TagListView.as_view()),
    path(f"{TABLE}/tags/<str:tag>", refs.TagView.as_view()),
    path(f"{TABLE}/consumers", refs.ConsumerListView.as_view()),
    path(f"{TABLE}/consumers/reset", refs.ConsumerResetView.as_view()),
    path(f"{ALL}/views", views.AllViewListView.as_view()),
    path(f"{ALL}/views/rename", views.ViewRenameView.as_view()),
    path(f"{DATABASE}/views", views.ViewListView.as_view()),
    path(f"{DATABASE}/view-details", views.ViewDetailListView.as_view()),
    path(f"{DATABASE}/views/<str:view>", views.ViewView.as_view()),
    path(f"{ALL}/functions", views.AllFunctionListView.as_view()),
    path(f"{DATABASE}/functions", views.FunctionListView.as_view()),
    path(f"{DATABASE}/function-details", views.FunctionDetailListView.as_view()),
    path(f"{DATABASE}/functions/<str:function>", views.FunctionView.as_view()),
    re_path(r"^[\s\S]*$", UnsupportedView.as_view()),
]
