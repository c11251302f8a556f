import type { ReactNode } from "react";
import { Link, useNavigate } from "@tanstack/react-router";
import { useInfiniteQuery } from "@tanstack/react-query";
import { schemasQuery, type SchemaSummary } from "../../api/tables";
import { Answer } from "../../app/Answer";
import { useColumnMakers } from "../../app/columns";
import { TablePage } from "../../app/Page";
import { pinOf } from "../../app/search";
import { tableName, useOpenTable } from "../../app/table";
import { usePageSearch, useSetSearch } from "../../app/useSearch";
import { useMessages } from "../../i18n";
import { Badge } from "../../ui/Badge";
import { Button, buttonClass } from "../../ui/Button";
import { Bytes } from "../../ui/Bytes";
import { DataGrid } from "../../ui/DataGrid";
import { Empty } from "../../ui/States";
import styles from "./Schemas.module.css";

/** All schemas of a table, newest first; two of them chosen make a diff. */
export function SchemasPage(): ReactNode {
  const { schemas, tabs, fields } = useMessages();
  const { ref, pin } = useOpenTable();
  const search = usePageSearch();
  const setSearch = useSetSearch();
  const answer = useInfiniteQuery(schemasQuery(ref, pin.branch, { limit: 1000 }));
  const make = useColumnMakers();
  const allBytes = (answer.data?.pages ?? [])
    .flatMap((page) => page.items)
    .reduce((sum, schema) => sum + (schema.live_bytes ?? 0), 0);
  const params = { wh: ref.warehouse, db: ref.database, table: ref.table };
  const columns = [
    make.text<SchemaSummary>("pick", schemas.compare, (s) => String(s.id), {
      width: 104,
      grow: 0,
      cell: (s) => <Pick id={s.id} from={search.from} to={search.to} onPick={setSearch} />,
    }),
    make.text<SchemaSummary>("id", fields.schema, (s) => String(s.id), {
      width: 104,
      cell: (s) => (
        <>
          <Link
            to="/w/$wh/$db/$table/schemas/$schema"
            params={{ ...params, schema: String(s.id) }}
            search={pinOf(search)}
          >
            #{s.id}
          </Link>
          {s.is_latest && <Badge tone="ok">{schemas.latest}</Badge>}
        </>
      ),
    }),
    make.time<SchemaSummary>("created_at", fields.created, (s) => s.created_at, { width: 112 }),
    make.count<SchemaSummary>("fields", fields.fields, (s) => s.fields, { width: 72 }),
    make.text<SchemaSummary>("primary_keys", schemas.primaryKey, (s) => s.primary_keys.join(", "), {
      width: 112,
    }),
    make.text<SchemaSummary>("partition_keys", schemas.partitionedBy, (s) => s.partition_keys.join(", ")),
    make.text<SchemaSummary>("options_changed", schemas.optionsChanged, (s) => s.options_changed.join(", "), {
      grow: 2,
    }),
    make.count<SchemaSummary>("live_files", schemas.liveFiles, (s) => s.live_files),
    make.bytes<SchemaSummary>("live_bytes", schemas.liveBytes, (s) => s.live_bytes, {
      width: 130,
      cell: (s) => <LiveBytes value={s.live_bytes} all={allBytes} />,
    }),
    make.text<SchemaSummary>("comment", fields.comment, (s) => s.comment, { width: 110 }),
  ];
  return (
    <TablePage title={`${tableName(ref)} · ${tabs.schemas}`}>
      <Answer query={answer}>
        {({ pages }) => {
          const rows = pages.flatMap((page) => page.items);
          if (rows.length === 0) return <Empty title={schemas.none}>{schemas.noneDetail}</Empty>;
          return (
            <>
              <div className={styles["bar"]}>
                <DiffLink from={search.from} to={search.to} rows={rows} />
                <Link
                  to="/w/$wh/$db/$table/schemas/proposal"
                  params={params}
                  search={pinOf(search)}
                  className={buttonClass()}
                >
                  {schemas.propose}
                </Link>
              </div>
              <DataGrid label={tabs.schemas} columns={columns} rows={rows} rowKey={(s) => String(s.id)} />
            </>
          );
        }}
      </Answer>
    </TablePage>
  );
}

interface PickProps {
  readonly id: number;
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly onPick: (change: { from?: string; to?: string }, replace?: boolean) => void;
}

function Pick({ id, from, to, onPick }: PickProps) {
  const { schemas } = useMessages();
  const name = String(id);
  return (
    <span className={styles["pick"]}>
      <Button
        look={from === name ? "primary" : "normal"}
        aria-pressed={from === name}
        onClick={() => onPick({ from: name }, true)}
      >
        {schemas.from}
      </Button>
      <Button
        look={to === name ? "primary" : "normal"}
        aria-pressed={to === name}
        onClick={() => onPick({ to: name }, true)}
      >
        {schemas.to}
      </Button>
    </span>
  );
}

/** The bytes beside a bar of their share of all live bytes. */
function LiveBytes({ value, all }: { value: number | null; all: number }) {
  const share = value === null || all === 0 ? 0 : value / all;
  return (
    <span className={styles["live"]}>
      <span className={styles["share"]} aria-hidden="true">
        <i style={{ inlineSize: `${share * 100}%` }} />
      </span>
      <Bytes value={value} />
    </span>
  );
}

/** Leads to the diff of the chosen two, or of the last two. */
function DiffLink({
  from,
  to,
  rows,
}: {
  from: string | undefined;
  to: string | undefined;
  rows: readonly SchemaSummary[];
}) {
  const { schemas } = useMessages();
  const { ref } = useOpenTable();
  const search = pinOf(usePageSearch());
  const navigate = useNavigate();
  const left = from ?? (rows[1] && String(rows[1].id));
  const right = to ?? (rows[0] && String(rows[0].id));
  if (left === undefined || right === undefined) return <span className="muted">{schemas.onlyOne}</span>;
  return (
    <Button
      look="primary"
      disabled={left === right}
      onClick={() =>
        void navigate({
          to: "/w/$wh/$db/$table/schemas/diff",
          params: { wh: ref.warehouse, db: ref.database, table: ref.table },
          search: { ...search, from: left, to: right },
        })
      }
    >
      {schemas.diffOf(left, right)}
    </Button>
  );
}
