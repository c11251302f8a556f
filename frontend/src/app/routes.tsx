import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";
import { NotFound } from "./NotFound";
import { parseSearch, stringifySearch, validateSearch, type Search } from "./search";
import { Shell } from "./Shell";
import { TableLayout } from "./TableLayout";
import { ToOverview } from "./ToOverview";

// Every address of the app. A page is a chunk of its own, loaded when its address is first opened. Each route is a
// constant: written inline in `addChildren`, TypeScript would infer its path as any, and links would go unchecked.

const root = createRootRoute({
  validateSearch: (raw: Record<string, unknown>): Search => validateSearch(raw),
  component: Shell,
  notFoundComponent: NotFound,
});

const home = createRoute({
  getParentRoute: () => root,
  path: "/",
  component: lazyRouteComponent(() => import("../pages/home/HomePage"), "HomePage"),
});
const search = createRoute({
  getParentRoute: () => root,
  path: "/search",
  component: lazyRouteComponent(() => import("../pages/tables/SearchPage"), "SearchPage"),
});
const jobs = createRoute({
  getParentRoute: () => root,
  path: "/jobs",
  component: lazyRouteComponent(() => import("../pages/jobs/JobsPage"), "JobsPage"),
});
const job = createRoute({
  getParentRoute: () => root,
  path: "/jobs/$job",
  component: lazyRouteComponent(() => import("../pages/job/JobPage"), "JobPage"),
});
const warehouses = createRoute({
  getParentRoute: () => root,
  path: "/w",
  component: lazyRouteComponent(() => import("../pages/warehouses/WarehousesPage"), "WarehousesPage"),
});
const warehouse = createRoute({
  getParentRoute: () => root,
  path: "/w/$wh",
  component: lazyRouteComponent(() => import("../pages/warehouses/WarehousePage"), "WarehousePage"),
});
const sys = createRoute({
  getParentRoute: () => root,
  path: "/w/$wh/sys",
  component: lazyRouteComponent(() => import("../pages/system/SystemPages"), "WarehouseSystemPage"),
});
const tables = createRoute({
  getParentRoute: () => root,
  path: "/w/$wh/$db",
  component: lazyRouteComponent(() => import("../pages/tables/TablesPage"), "TablesPage"),
});
const view = createRoute({
  getParentRoute: () => root,
  path: "/w/$wh/$db/$table/view",
  component: lazyRouteComponent(() => import("../pages/views/ViewPage"), "ViewPage"),
});
const functionRoute = createRoute({
  getParentRoute: () => root,
  path: "/w/$wh/$db/$table/function",
  component: lazyRouteComponent(() => import("../pages/views/FunctionPage"), "FunctionPage"),
});
const adminWarehouses = createRoute({
  getParentRoute: () => root,
  path: "/admin/warehouses",
  component: lazyRouteComponent(
    () => import("../pages/admin-warehouses/AdminWarehousesPage"),
    "AdminWarehousesPage",
  ),
});
const access = createRoute({
  getParentRoute: () => root,
  path: "/admin/access",
  component: lazyRouteComponent(() => import("../pages/access/AccessPage"), "AccessPage"),
});
const tokens = createRoute({
  getParentRoute: () => root,
  path: "/admin/tokens",
  component: lazyRouteComponent(() => import("../pages/tokens/TokensPage"), "TokensPage"),
});
const audit = createRoute({
  getParentRoute: () => root,
  path: "/admin/audit",
  component: lazyRouteComponent(() => import("../pages/audit/AuditPage"), "AuditPage"),
});
const account = createRoute({
  getParentRoute: () => root,
  path: "/account",
  component: lazyRouteComponent(() => import("../pages/account/AccountPage"), "AccountPage"),
});
const gallery = createRoute({
  getParentRoute: () => root,
  path: "/gallery",
  component: lazyRouteComponent(() => import("../pages/gallery/GalleryPage"), "GalleryPage"),
});

// A table: header and tabs around each of its pages.
const table = createRoute({ getParentRoute: () => root, path: "/w/$wh/$db/$table", component: TableLayout });
const toOverview = createRoute({ getParentRoute: () => table, path: "/", component: ToOverview });
const overview = createRoute({
  getParentRoute: () => table,
  path: "/overview",
  component: lazyRouteComponent(() => import("../pages/overview/OverviewPage"), "OverviewPage"),
});
const timeline = createRoute({
  getParentRoute: () => table,
  path: "/timeline",
  component: lazyRouteComponent(() => import("../pages/timeline/TimelinePage"), "TimelinePage"),
});
const snapshot = createRoute({
  getParentRoute: () => table,
  path: "/snapshots/$snapshot",
  component: lazyRouteComponent(() => import("../pages/snapshot/SnapshotPage"), "SnapshotPage"),
});
const changes = createRoute({
  getParentRoute: () => table,
  path: "/snapshots/$snapshot/changes",
  component: lazyRouteComponent(() => import("../pages/changes/ChangesPage"), "ChangesPage"),
});
const manifests = createRoute({
  getParentRoute: () => table,
  path: "/snapshots/$snapshot/manifests",
  component: lazyRouteComponent(() => import("../pages/manifests/ManifestsPage"), "ManifestsPage"),
});
const files = createRoute({
  getParentRoute: () => table,
  path: "/files",
  component: lazyRouteComponent(() => import("../pages/files/FilesPage"), "FilesPage"),
});
const buckets = createRoute({
  getParentRoute: () => table,
  path: "/lsm",
  component: lazyRouteComponent(() => import("../pages/lsm/BucketsPage"), "BucketsPage"),
});
const bucket = createRoute({
  getParentRoute: () => table,
  path: "/lsm/$partition/$bucket",
  component: lazyRouteComponent(() => import("../pages/lsm/BucketPage"), "BucketPage"),
});
const schemas = createRoute({
  getParentRoute: () => table,
  path: "/schemas",
  component: lazyRouteComponent(() => import("../pages/schemas/SchemasPage"), "SchemasPage"),
});
const schemaDiff = createRoute({
  getParentRoute: () => table,
  path: "/schemas/diff",
  component: lazyRouteComponent(() => import("../pages/schemas/SchemaDiffPage"), "SchemaDiffPage"),
});
const schemaProposal = createRoute({
  getParentRoute: () => table,
  path: "/schemas/proposal",
  component: lazyRouteComponent(() => import("../pages/schemas/ProposalPage"), "ProposalPage"),
});
const schema = createRoute({
  getParentRoute: () => table,
  path: "/schemas/$schema",
  component: lazyRouteComponent(() => import("../pages/schemas/SchemaPage"), "SchemaPage"),
});
const indexes = createRoute({
  getParentRoute: () => table,
  path: "/indexes",
  component: lazyRouteComponent(() => import("../pages/indexes/IndexesPage"), "IndexesPage"),
});
const data = createRoute({
  getParentRoute: () => table,
  path: "/data",
  component: lazyRouteComponent(() => import("../pages/data/DataPage"), "DataPage"),
});
const refs = createRoute({
  getParentRoute: () => table,
  path: "/refs",
  component: lazyRouteComponent(() => import("../pages/refs/RefsPage"), "RefsPage"),
});
const system = createRoute({
  getParentRoute: () => table,
  path: "/system",
  component: lazyRouteComponent(() => import("../pages/system/SystemPages"), "TableSystemPage"),
});
const options = createRoute({
  getParentRoute: () => table,
  path: "/options",
  component: lazyRouteComponent(() => import("../pages/options/OptionsPage"), "OptionsPage"),
});
const tableJobs = createRoute({
  getParentRoute: () => table,
  path: "/jobs",
  component: lazyRouteComponent(() => import("../pages/jobs/TableJobsPage"), "TableJobsPage"),
});
const action = createRoute({
  getParentRoute: () => table,
  path: "/actions/$kind",
  component: lazyRouteComponent(() => import("../pages/actions/ActionPage"), "ActionPage"),
});

const routeTree = root.addChildren([
  home,
  search,
  jobs,
  job,
  warehouses,
  warehouse,
  sys,
  tables,
  view,
  functionRoute,
  adminWarehouses,
  access,
  tokens,
  audit,
  account,
  gallery,
  table.addChildren([
    toOverview,
    overview,
    timeline,
    snapshot,
    changes,
    manifests,
    files,
    buckets,
    bucket,
    schemas,
    schemaDiff,
    schemaProposal,
    schema,
    indexes,
    data,
    refs,
    options,
    system,
    tableJobs,
    action,
  ]),
]);

export const router = createRouter({
  routeTree,
  parseSearch,
  stringifySearch,
  defaultPreload: "intent",
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
