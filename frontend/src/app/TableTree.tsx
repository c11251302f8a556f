import { useInfiniteQuery, useQueries, useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useDeferredValue, useEffect, useMemo, useRef, useState, type KeyboardEvent } from "react";
import { ApiProblem } from "../api/problem";
import { meQuery, type Permission } from "../api/session";
import { databasesQuery, tablesQuery, treeTablesQuery, warehousesQuery } from "../api/warehouses";
import { useMessages } from "../i18n";
import { setPreferences, usePreferences } from "../preferences";
import { Button } from "../ui/Button";
import { Icon, type IconName } from "../ui/Icon";
import { flattenTree, type TreeRow } from "../ui/treeRows";
import { useOpenNodes } from "./useOpenNodes";
import { usePageParams } from "./useSearch";
import styles from "./Shell.module.css";

interface Node {
  readonly kind: "warehouse" | "database" | "table";
  readonly path: readonly string[]; // warehouse, database, table
  readonly count: number | null;
  readonly type?: string | null; // of a table
}

const NODE_HEIGHT = 28;
const shape = {
  idOf: (node: Node) => node.path.join("/"),
  expandable: (node: Node) => node.kind !== "table",
};

/** Warehouses, databases and tables at the left; what is expanded is remembered. */
export function TableTree() {
  const { shell } = useMessages();
  const { treeWidth } = usePreferences();
  const [text, setText] = useState("");
  const asked = useDeferredValue(text.trim());
  const panel = useRef<HTMLElement>(null);
  return (
    <nav
      ref={panel}
      className={styles["tree"]}
      style={{ width: treeWidth }}
      aria-label={shell.tree}
      onPointerUp={() => {
        const width = panel.current?.offsetWidth ?? treeWidth;
        if (width !== treeWidth) setPreferences({ treeWidth: width });
      }}
    >
      <input
        className={styles["filter"]}
        aria-label={shell.filterTables}
        placeholder={shell.filterTables}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      {asked === "" ? <Browse /> : <Matches text={asked} />}
      <Links />
    </nav>
  );
}

function Links() {
  const { shell, admin } = useMessages();
  const { data: me } = useQuery(meQuery);
  const may = (permission: Permission) => me?.permissions_anywhere.includes(permission) ?? false;
  return (
    <div className={styles["side"]}>
      <Link to="/w" activeOptions={{ exact: true }}>
        {shell.warehouses}
      </Link>
      <Link to="/jobs">{shell.jobs}</Link>
      {may("warehouse:manage") && <Link to="/admin/warehouses">{admin.warehouses}</Link>}
      {may("access:manage") && <Link to="/admin/access">{admin.access}</Link>}
      <Link to="/admin/tokens">{admin.tokens}</Link>
      {may("audit:read") && <Link to="/admin/audit">{admin.audit}</Link>}
    </div>
  );
}

function Browse() {
  const expanded = useOpenNodes();
  const { states } = useMessages();
  const { data: warehouses, error, refetch } = useQuery(warehousesQuery);
  const open = useMemo(() => new Set(expanded), [expanded]);
  // What was left open may be gone by now: only what is listed is asked for.
  const openWarehouses = (warehouses?.items ?? []).map(({ name }) => name).filter((name) => open.has(name));
  const databases = useQueries({ queries: openWarehouses.map((warehouse) => databasesQuery(warehouse)) });
  const openDatabases = openWarehouses.flatMap((warehouse, at) =>
    (databases[at]?.data?.items ?? [])
      .map(({ name }) => `${warehouse}/${name}`)
      .filter((path) => open.has(path)),
  );
  const tables = useQueries({
    queries: openDatabases.map((path) => {
      const [warehouse = "", database = ""] = path.split("/");
      return treeTablesQuery(warehouse, database);
    }),
  });
  const childrenOf = (node: Node): readonly Node[] | undefined => {
    const id = shape.idOf(node);
    if (node.kind === "warehouse") {
      const found = databases[openWarehouses.indexOf(id)]?.data?.items;
      return found?.map((d) => ({ kind: "database", path: [...node.path, d.name], count: d.tables }));
    }
    const found = tables[openDatabases.indexOf(id)]?.data?.items;
    return found?.map((t) => ({ kind: "table", path: [...node.path, t.name], count: null, type: t.type }));
  };
  if (warehouses === undefined && error !== null) {
    return (
      <div className={styles["failed"]}>
        <p>{error instanceof ApiProblem ? error.problem.title : error.message}</p>
        <Button icon="refresh" onClick={() => void refetch()}>
          {states.retry}
        </Button>
      </div>
    );
  }
  const roots = (warehouses?.items ?? []).map((w): Node => ({
    kind: "warehouse",
    path: [w.name],
    count: w.databases,
  }));
  return <Nodes rows={flattenTree(roots, { ...shape, childrenOf }, open)} />;
}

function Matches({ text }: { text: string }) {
  const { shell } = useMessages();
  const { data } = useInfiniteQuery(tablesQuery({ q: text, sort: "name" }));
  const nodes = (data?.pages.flatMap((page) => page.items) ?? []).map((t): Node => ({
    kind: "table",
    path: [t.warehouse, t.database, t.name],
    count: null,
    type: t.type,
  }));
  if (data !== undefined && nodes.length === 0) return <p className={styles["side"]}>{shell.nothingFound}</p>;
  return <Nodes rows={flattenTree(nodes, { ...shape, childrenOf: () => undefined }, new Set())} full />;
}

/** Of tables by their type; another format's own have one of their own. */
const TYPES: Readonly<Record<string, IconName>> = {
  table: "table",
  view: "view",
  "format-table": "files",
  "object-table": "objects",
  "materialized-table": "materialized",
};

/** The sign of a node; of what is no usual table also its name, pointed at or read out. */
function Sign({ node }: { node: Node }) {
  const { tableTypes } = useMessages();
  if (node.kind !== "table") return <Icon name={node.kind} />;
  const type = node.type ?? "table";
  if (type === "table") return <Icon name="table" />;
  return (
    <span className={styles["sign"]} title={tableTypes(type)}>
      <Icon name={TYPES[type] ?? "foreign"} />
      <span className="sr-only">{tableTypes(type)}</span>
    </span>
  );
}

function Nodes({ rows, full = false }: { rows: readonly TreeRow<Node>[]; full?: boolean }) {
  const { shell } = useMessages();
  const navigate = useNavigate();
  const { wh, db, table } = usePageParams();
  const here = [wh, db, table].filter((part) => part !== undefined).join("/");
  const scroller = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState(0);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => NODE_HEIGHT,
    overscan: 12,
  });
  // The open table comes into view once it is there, and again with another one; else the list stays put.
  const shown = useRef("");
  const at = rows.findIndex((row) => row.id === here);
  useEffect(() => {
    if (at < 0 || shown.current === here) return;
    shown.current = here;
    virtual.scrollToIndex(at);
  }, [at, here, virtual]);
  const { expanded } = usePreferences();
  const toggle = (row: TreeRow<Node>) => {
    const others = expanded.filter((path) => path !== row.id);
    setPreferences({ expanded: row.expanded ? others : [...others, row.id] });
  };
  const go = (node: Node) => {
    const [warehouse = "", database = "", name = ""] = node.path;
    if (node.kind === "table") {
      void navigate({
        to: node.type === "view" ? "/w/$wh/$db/$table/view" : "/w/$wh/$db/$table/overview",
        params: { wh: warehouse, db: database, table: name },
      });
    } else if (node.kind === "database") {
      void navigate({ to: "/w/$wh/$db", params: { wh: warehouse, db: database } });
    } else void navigate({ to: "/w/$wh", params: { wh: warehouse } });
  };
  const focus = (at: number) => {
    const next = Math.max(0, Math.min(rows.length - 1, at));
    setActive(next);
    virtual.scrollToIndex(next);
    requestAnimationFrame(() =>
      scroller.current?.querySelector<HTMLElement>(`[data-node="${next}"]`)?.focus({ preventScroll: true }),
    );
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const row = rows[active];
    if (row === undefined) return;
    const actions: Record<string, () => void> = {
      ArrowDown: () => focus(active + 1),
      ArrowUp: () => focus(active - 1),
      Home: () => focus(0),
      End: () => focus(rows.length - 1),
      ArrowRight: () => (row.expandable && !row.expanded ? toggle(row) : focus(active + 1)),
      ArrowLeft: () => (row.expanded ? toggle(row) : focus(Math.max(0, row.parent))),
      Enter: () => go(row.node),
      " ": () => (row.expandable ? toggle(row) : go(row.node)),
    };
    const action = actions[event.key];
    if (action === undefined) return;
    event.preventDefault();
    action();
  };
  return (
    <div
      ref={scroller}
      className={styles["nodes"]}
      role="tree"
      aria-label={shell.tree}
      tabIndex={-1}
      onKeyDown={onKeyDown}
    >
      <div role="none" style={{ height: virtual.getTotalSize(), position: "relative" }}>
        {virtual.getVirtualItems().map((item) => {
          const row = rows[item.index];
          if (row === undefined) return null;
          const name = full ? row.node.path.slice(1).join(".") : row.node.path.at(-1);
          return (
            <div
              key={row.id}
              role="treeitem"
              aria-level={row.depth + 1}
              aria-selected={row.id === here}
              {...(row.expandable && { "aria-expanded": row.expanded })}
              data-node={item.index}
              tabIndex={item.index === active ? 0 : -1}
              className={styles["node"]}
              style={{ top: item.start, paddingInlineStart: 8 + row.depth * 16 }}
              title={row.node.path.join(".")}
              onFocus={() => setActive(item.index)}
              onClick={() => {
                if (row.expandable && !(row.expanded && row.id !== here)) toggle(row);
                go(row.node);
              }}
            >
              {row.expandable ? (
                <Icon name={row.expanded ? "chevronDown" : "chevronRight"} />
              ) : (
                !full && <i className={styles["noturn"]} />
              )}
              <Sign node={row.node} />
              <span>{name}</span>
              {row.node.count !== null && <span className={styles["count"]}>{row.node.count}</span>}
            </div>
          );
        })}
      </div>
    </div>
  );
}
