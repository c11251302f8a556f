import { useQuery } from "@tanstack/react-query";
import { Fragment, type ReactNode } from "react";
import { Link } from "@tanstack/react-router";
import { heldQuery, type Held } from "../../api/history";
import {
  branchesQuery,
  consumersQuery,
  tagsQuery,
  type Branch,
  type Consumer,
  type Tag,
} from "../../api/tables";
import { SnapshotLink } from "../../app/cells";
import { useColumnMakers } from "../../app/columns";
import { ListGrid } from "../../app/ListGrid";
import { usePart } from "../../app/Parts";
import { TablePage } from "../../app/Page";
import type { Search } from "../../app/search";
import { tableName, useOpenTable } from "../../app/table";
import { usePageSearch, useSetSearch } from "../../app/useSearch";
import { useMessages } from "../../i18n";
import { Segments } from "../../ui/Field";
import { Timestamp } from "../../ui/Timestamp";
import styles from "./RefsPage.module.css";

const VIEWS = ["tags", "branches", "consumers"] as const;
type View = (typeof VIEWS)[number];

/** Everything that names a snapshot: tags, branches, consumers. */
export function RefsPage(): ReactNode {
  const { refs, tabs } = useMessages();
  const { ref, pin } = useOpenTable();
  const { view } = usePageSearch();
  const setSearch = useSetSearch();
  const current: View = VIEWS.find((known) => known === view) ?? "tags";
  return (
    <TablePage title={`${tableName(ref)} · ${tabs.refs}`}>
      <div className={styles["bar"]}>
        <Segments
          label={tabs.refs}
          value={current}
          options={VIEWS.map((id) => [id, refs.views[id]] as const)}
          onChange={(next) => setSearch({ view: next === "tags" ? undefined : next, sort: undefined })}
        />
        {current === "tags" && (
          <Actions branch={pin.branch} of={[["tag", refs.newTag, { "f.action": "create" }]]} />
        )}
        {current === "branches" && <Actions of={[["branch", refs.newBranch, { "f.action": "create" }]]} />}
      </div>
      {current === "tags" && <Tags />}
      {current === "branches" && <Branches />}
      {current === "consumers" && <Consumers />}
    </TablePage>
  );
}

type Action = readonly [
  kind: "rollback" | "restore" | "tag" | "branch" | "consumer",
  label: string,
  search: Search,
];

/** Links to plans of what can be done with a tag or a branch. */
function Actions({ of, branch }: { of: readonly Action[]; branch?: string | undefined }) {
  const { ref } = useOpenTable();
  const params = { wh: ref.warehouse, db: ref.database, table: ref.table };
  return (
    <span>
      {of.map(([kind, label, search], at) => (
        <Fragment key={label}>
          {at > 0 && " · "}
          <Link
            to="/w/$wh/$db/$table/actions/$kind"
            params={{ ...params, kind }}
            search={{ ...search, ...(branch !== undefined && { branch }) }}
          >
            {label}
          </Link>
        </Fragment>
      ))}
    </span>
  );
}

/** What each tag and branch keeps alone; it takes longer than their lists, which are there before it. */
function useHeld(): Held | undefined {
  const { refs } = useMessages();
  const { ref, pin } = useOpenTable();
  const answer = useQuery(heldQuery(ref, pin.branch));
  usePart(refs.held, answer);
  return answer.data;
}

function Tags() {
  const { refs, fields } = useMessages();
  const { ref, pin } = useOpenTable();
  const { sort } = usePageSearch();
  const make = useColumnMakers();
  const held = useHeld();
  const alone = new Map(held?.tags.map((row) => [row.name, row]));
  const params = { wh: ref.warehouse, db: ref.database, table: ref.table };
  const columns = [
    make.text<Tag>("name", fields.name, (t) => t.name, {
      sortable: true,
      grow: 2,
      cell: (t) => (
        <Link
          to="/w/$wh/$db/$table/overview"
          params={params}
          search={{ at: `tag:${t.name}`, branch: pin.branch }}
        >
          ⚑ {t.name}
        </Link>
      ),
    }),
    make.text<Tag>("snapshot_id", fields.snapshot, (t) => String(t.snapshot_id ?? ""), {
      width: 85,
      sortable: true,
      cell: (t) => t.snapshot_id !== null && <SnapshotLink id={t.snapshot_id} identity={t.ref ?? ""} />,
    }),
    make.time<Tag>("committed_at", fields.committed, (t) => t.committed_at, { sortable: true }),
    make.time<Tag>("created_at", fields.created, (t) => t.created_at, { sortable: true }),
    make.time<Tag>("retained_until", refs.retainedUntil, (t) => t.retained_until, {
      sortable: true,
      cell: (t) => (t.retained_until === null ? refs.untilDeleted : <Timestamp value={t.retained_until} />),
    }),
    make.bytes<Tag>("alone", refs.keptAlone, (t) => alone.get(t.name)?.bytes, { width: 122 }),
    make.count<Tag>("total_rows", fields.totalRows, (t) => t.total_rows),
    make.count<Tag>("schema_id", fields.schema, (t) => t.schema_id),
    make.text<Tag>("action", refs.action, () => "", {
      width: 370,
      cell: (t) => (
        <Actions
          branch={pin.branch}
          of={[
            ["rollback", refs.rollBackTo, { to: `tag:${t.name}` }],
            ["restore", refs.restoreIt, { to: `tag:${t.name}` }],
            ["tag", refs.replace, { "f.action": "replace", "f.name": t.name }],
            ["tag", refs.rename, { "f.action": "rename", "f.name": t.name }],
            ["tag", refs.delete, { "f.action": "delete", "f.name": t.name }],
          ]}
        />
      ),
    }),
    make.text<Tag>("problem", refs.problem, (t) => t.problem ?? "", { width: 90, grow: 1 }),
  ];
  return (
    <>
      <ListGrid
        label={refs.views.tags}
        query={tagsQuery(ref, pin.branch, { sort })}
        columns={columns}
        rowKey={(t) => t.name}
        tone={(t) => (t.problem === null ? undefined : "warn")}
        hidden={["schema_id", "created_at"]}
        empty={{ title: refs.noTags, detail: refs.noTagsDetail }}
      />
    </>
  );
}

function Branches() {
  const { refs, fields } = useMessages();
  const { ref } = useOpenTable();
  const make = useColumnMakers();
  const held = useHeld();
  const standing = new Map(held?.branches.map((row) => [row.name, row]));
  const params = { wh: ref.warehouse, db: ref.database, table: ref.table };
  const columns = [
    make.text<Branch>("name", fields.name, (b) => b.name, {
      grow: 2,
      cell: (b) => (
        <Link
          to="/w/$wh/$db/$table/overview"
          params={params}
          search={{ branch: b.name === "main" ? undefined : b.name }}
        >
          {b.name}
        </Link>
      ),
    }),
    make.text<Branch>("latest", refs.latest, (b) => b.latest && `#${b.latest.split("~")[0] ?? ""}`, {
      width: 110,
    }),
    make.time<Branch>("latest_at", fields.lastCommit, (b) => b.latest_at),
    make.count<Branch>("snapshots", fields.snapshots, (b) => b.snapshots),
    make.count<Branch>("schema_id", fields.schema, (b) => b.schema_id),
    make.time<Branch>("created_at", fields.created, (b) => b.created_at),
    make.text<Branch>("forked_at", refs.forkedAt, (b) => {
      const forked = standing.get(b.name)?.forked_at;
      return typeof forked === "number" ? `#${forked}` : null;
    }),
    make.text<Branch>("distance", refs.aheadBehind, (b) => {
      const { ahead, behind } = standing.get(b.name) ?? { ahead: null, behind: null };
      return ahead === null || behind === null ? null : `+${ahead} / −${behind}`;
    }),
    make.bytes<Branch>("alone", refs.keptAlone, (b) => standing.get(b.name)?.bytes, { width: 130 }),
    make.text<Branch>("action", refs.action, () => "", {
      width: 300,
      cell: (b) =>
        b.name !== "main" && (
          <Actions
            of={[
              ["restore", refs.restoreIt, { to: `branch:${b.name}` }],
              ["branch", refs.fastForward, { "f.action": "fast_forward", "f.name": b.name }],
              ["branch", refs.rename, { "f.action": "rename", "f.name": b.name }],
              ["branch", refs.delete, { "f.action": "delete", "f.name": b.name }],
            ]}
          />
        ),
    }),
    make.text<Branch>("problem", refs.problem, (b) => b.problem ?? "", { width: 70, grow: 1 }),
  ];
  return (
    <>
      <ListGrid
        label={refs.views.branches}
        query={branchesQuery(ref)}
        columns={columns}
        rowKey={(b) => b.name}
        tone={(b) => (b.problem === null ? undefined : "warn")}
        hidden={["created_at", "schema_id"]}
        empty={{ title: refs.noBranches, detail: refs.noBranchesDetail }}
      />
    </>
  );
}

function Consumers() {
  const { refs, fields, ui } = useMessages();
  const { ref, pin } = useOpenTable();
  const make = useColumnMakers();
  const columns = [
    make.text<Consumer>("id", fields.id, (c) => c.id, { grow: 2 }),
    make.count<Consumer>("next_snapshot", refs.nextSnapshot, (c) => c.next_snapshot, { width: 130 }),
    make.count<Consumer>("lag", refs.lag, (c) => c.lag, { width: 130 }),
    make.time<Consumer>("unread_since", refs.unreadSince, (c) => c.unread_since),
    make.text<Consumer>("blocks_expiry", refs.blocksExpiry, (c) => (c.blocks_expiry ? ui.yes : ui.no)),
    make.text<Consumer>("problem", refs.problem, (c) => c.problem ?? "", { width: 200, grow: 2 }),
    make.text<Consumer>("action", refs.action, () => "", {
      width: 150,
      cell: (c) => (
        <Actions
          branch={pin.branch}
          of={[
            ["consumer", refs.reset, { "f.action": "reset", "f.name": c.id }],
            ["consumer", refs.delete, { "f.action": "delete", "f.name": c.id }],
          ]}
        />
      ),
    }),
  ];
  return (
    <ListGrid
      label={refs.views.consumers}
      query={consumersQuery(ref, pin.branch)}
      columns={columns}
      rowKey={(c) => c.id}
      tone={(c) => (c.problem === null ? undefined : "warn")}
      empty={{ title: refs.noConsumers, detail: refs.noConsumersDetail }}
    />
  );
}
