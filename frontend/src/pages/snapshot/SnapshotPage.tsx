import type { ReactNode } from "react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { snapshotQuery, type SnapshotDetail } from "../../api/tables";
import { Answer } from "../../app/Answer";
import { JobLink, KindBadge } from "../../app/cells";
import { TablePage } from "../../app/Page";
import { pinOf } from "../../app/search";
import { SnapshotTabs } from "../../app/SnapshotTabs";
import { tableName, useOpenTable } from "../../app/table";
import { usePageParams, usePageSearch } from "../../app/useSearch";
import { useFormat, useMessages } from "../../i18n";
import { buttonClass } from "../../ui/Button";
import { Bytes, BytesDelta } from "../../ui/Bytes";
import { Card, Cards } from "../../ui/Card";
import { CopyableId } from "../../ui/CopyableId";
import { Count } from "../../ui/Count";
import { JsonView } from "../../ui/JsonView";
import { KeyValue } from "../../ui/KeyValue";
import { Notice } from "../../ui/States";
import { Tabs } from "../../ui/Tabs";
import { Timestamp } from "../../ui/Timestamp";
import { LevelFlow } from "../../viz/LevelFlow";

/** One commit: what it changed, who made it, and every field of its file. */
export function SnapshotPage(): ReactNode {
  const { tabs } = useMessages();
  const { snapshot = "" } = usePageParams();
  const { ref, pin } = useOpenTable();
  const answer = useQuery(snapshotQuery(ref, snapshot, pin.branch));
  return (
    <TablePage title={`${tableName(ref)} · ${tabs.snapshot} ${snapshot.split("~")[0] ?? ""}`}>
      <SnapshotTabs />
      <Answer query={answer}>{(data) => <Detail snapshot={data} />}</Answer>
    </TablePage>
  );
}

function Detail({ snapshot }: { snapshot: SnapshotDetail }) {
  const { snapshotPage } = useMessages();
  return (
    <>
      <Heading snapshot={snapshot} />
      {snapshot.problem !== null && <Notice tone="danger">{snapshot.problem}</Notice>}
      <Cards>
        <Changed snapshot={snapshot} />
        <Origin snapshot={snapshot} />
      </Cards>
      {snapshot.levels !== null && snapshot.levels.some((level) => level.bytes_removed > 0) && (
        <Card title={snapshotPage.levelMoves}>
          <LevelFlow
            title={snapshotPage.levelMoves}
            changes={snapshot.levels.map((level) => ({
              level: level.level,
              bytesRemoved: level.bytes_removed,
              bytesAdded: level.bytes_added,
            }))}
          />
        </Card>
      )}
      <Tabs
        label={snapshotPage.fields}
        items={[
          { id: "fields", label: snapshotPage.fields, content: <Fields snapshot={snapshot} /> },
          {
            id: "json",
            label: snapshotPage.rawJson,
            content:
              snapshot.raw === null ? (
                <p className="muted">{snapshotPage.noRaw}</p>
              ) : (
                <JsonView label={snapshotPage.rawJson} value={indented(snapshot.raw)} />
              ),
          },
        ]}
      />
    </>
  );
}

/** Indents JSON text line by line without parsing its numbers: a batch commit's identifier passes a double. */
function indented(raw: string): string {
  if (raw.includes("\n")) return raw;
  return raw.replace(/^\{/, "{\n  ").replaceAll(',"', ',\n  "').replace(/\}$/, "\n}");
}

const SNAPSHOT_ACTIONS = ["tag", "branch"] as const;

function Heading({ snapshot }: { snapshot: SnapshotDetail }) {
  const { snapshotPage } = useMessages();
  const { ref, summary } = useOpenTable();
  const search = pinOf(usePageSearch());
  const params = { wh: ref.warehouse, db: ref.database, table: ref.table };
  const neighbour = (identity: string | null, text: string) =>
    identity !== null && (
      <Link
        to="/w/$wh/$db/$table/snapshots/$snapshot"
        params={{ ...params, snapshot: identity }}
        search={search}
      >
        {text}
      </Link>
    );
  return (
    <div style={{ display: "flex", flexWrap: "wrap", gap: 12, alignItems: "center" }}>
      <h2>#{snapshot.id}</h2>
      <KindBadge kind={snapshot.kind} />
      <Timestamp value={snapshot.committed_at} exact />
      {neighbour(snapshot.previous, snapshotPage.previous)}
      {neighbour(snapshot.next, snapshotPage.next)}
      <span style={{ marginInlineStart: "auto", display: "flex", flexWrap: "wrap", gap: 8 }}>
        {snapshot.previous !== null && (
          <Link
            to="/w/$wh/$db/$table/timeline"
            params={params}
            search={{ ...search, from: snapshot.previous, at: snapshot.ref }}
            className={buttonClass()}
          >
            {snapshotPage.compare}
          </Link>
        )}
        {SNAPSHOT_ACTIONS.map((kind) => (
          <Link
            key={kind}
            to="/w/$wh/$db/$table/actions/$kind"
            params={{ ...params, kind }}
            search={{ branch: search.branch, to: snapshot.ref }}
            className={buttonClass()}
          >
            {snapshotPage.actions[kind]}
          </Link>
        ))}
        {snapshot.ref !== summary.latest?.ref && (
          <Link
            to="/w/$wh/$db/$table/actions/$kind"
            params={{ ...params, kind: "rollback" }}
            search={{ branch: search.branch, to: snapshot.ref }}
            className={buttonClass("danger")}
          >
            {snapshotPage.rollBackHere}
          </Link>
        )}
      </span>
    </div>
  );
}

function Changed({ snapshot }: { snapshot: SnapshotDetail }) {
  const { snapshotPage, fields } = useMessages();
  const { isPartitioned } = useOpenTable();
  const format = useFormat();
  const partitions = snapshot.partitions_touched;
  const gap =
    snapshot.previous_at === null || snapshot.committed_at === null
      ? null
      : Date.parse(snapshot.committed_at) - Date.parse(snapshot.previous_at);
  return (
    <Card title={snapshotPage.changed}>
      <KeyValue
        items={[
          [fields.deltaRows, <Count key="v" value={snapshot.delta_rows} signed />],
          [snapshotPage.totalRows, <Count key="v" value={snapshot.total_rows} />],
          snapshot.changelog_rows !== null && [
            fields.changelogRows,
            <Count key="v" value={snapshot.changelog_rows} />,
          ],
          [
            fields.filesAdded,
            <span key="v">
              <Count value={snapshot.files_added} /> · <Bytes value={snapshot.bytes_added} />
            </span>,
          ],
          [
            fields.filesDeleted,
            <span key="v">
              <Count value={snapshot.files_deleted} /> · <Bytes value={snapshot.bytes_deleted} />
            </span>,
          ],
          snapshot.bytes_added !== null &&
            snapshot.bytes_deleted !== null && [
              snapshotPage.netBytes,
              <BytesDelta key="v" value={snapshot.bytes_added - snapshot.bytes_deleted} />,
            ],
          isPartitioned && [fields.partitions, partitions === null ? null : summarised(partitions)],
          [fields.buckets, <Count key="v" value={snapshot.buckets_touched} />],
          gap !== null && [snapshotPage.sincePrevious, format.duration(gap)],
          gap !== null &&
            gap > 0 &&
            snapshot.delta_rows !== null &&
            snapshot.delta_rows > 0 && [
              snapshotPage.rowRate,
              format.decimal((snapshot.delta_rows * 1000) / gap),
            ],
        ]}
      />
    </Card>
  );
}

const SHOWN_PARTITIONS = 5;

function summarised(partitions: readonly string[]): string {
  const rest = partitions.length - SHOWN_PARTITIONS;
  return partitions.slice(0, SHOWN_PARTITIONS).join(", ") + (rest > 0 ? ` +${rest}` : "");
}

function Origin({ snapshot }: { snapshot: SnapshotDetail }) {
  const { snapshotPage, fields } = useMessages();
  const format = useFormat();
  const { origin } = snapshot;
  const compactionFacts = useCompactionFacts();
  const took =
    origin.started_at !== null && origin.ended_at !== null
      ? Date.parse(origin.ended_at) - Date.parse(origin.started_at)
      : null;
  return (
    <Card title={snapshotPage.origin}>
      <KeyValue
        items={[
          origin.job !== null && [snapshotPage.job, <JobLink key="v" job={origin.job} />],
          origin.requested_by !== null && [snapshotPage.requestedBy, origin.requested_by],
          took !== null && [fields.duration, format.duration(took)],
          took === null &&
            origin.at_least_millis !== null && [
              fields.duration,
              <span key="v" title={snapshotPage.atLeastHow}>
                {snapshotPage.atLeast(format.duration(origin.at_least_millis))}
              </span>,
            ],
          [fields.commitUser, <CopyableId key="v" value={snapshot.commit_user} />],
          [fields.commitIdentifier, <CopyableId key="v" value={snapshot.commit_identifier} />],
          [fields.writer, snapshot.writer_version],
          snapshot.operation !== null && [fields.operation, snapshot.operation],
          ...Object.entries(snapshot.properties).map(([key, value]) => [key, value] as const),
          ...compactionFacts(snapshot),
        ]}
      />
    </Card>
  );
}

/** What went into a compaction and what came out of it. */
function useCompactionFacts(): (snapshot: SnapshotDetail) => (readonly [string, ReactNode])[] {
  const { snapshotPage, counts } = useMessages();
  const format = useFormat();
  return ({ kind, levels }) => {
    if (kind !== "compact" || levels === null) return [];
    const sum = (value: (level: NonNullable<SnapshotDetail["levels"]>[number]) => number) =>
      levels.reduce((total, level) => total + value(level), 0);
    const [bytesIn, bytesOut] = [sum((l) => l.bytes_removed), sum((l) => l.bytes_added)];
    const side = (files: number, bytes: number, on: readonly number[]) =>
      `${counts.files(format.count(files))} · ${format.bytes(bytes)} · ${on.map((level) => `L${level}`).join(", ")}`;
    const from = levels.filter((l) => l.files_removed > 0).map((l) => l.level);
    const to = levels.filter((l) => l.files_added > 0).map((l) => l.level);
    const dropped = sum((l) => l.rows_removed) - sum((l) => l.rows_added);
    return [
      [
        snapshotPage.input,
        side(
          sum((l) => l.files_removed),
          bytesIn,
          from,
        ),
      ],
      [
        snapshotPage.output,
        side(
          sum((l) => l.files_added),
          bytesOut,
          to,
        ),
      ],
      [snapshotPage.sizeRatio, bytesIn === 0 ? null : format.percent(bytesOut / bytesIn)],
      [snapshotPage.rowsDropped, <Count key="v" value={dropped} />],
    ];
  };
}

function Fields({ snapshot }: { snapshot: SnapshotDetail }) {
  const { fields, snapshotPage } = useMessages();
  return (
    <KeyValue
      items={[
        [fields.id, String(snapshot.id)],
        [fields.uuid, snapshot.uuid && <CopyableId key="v" value={snapshot.uuid} />],
        [fields.schema, String(snapshot.schema_id)],
        ...snapshot.lists.map(
          (list) =>
            [
              snapshotPage.lists[list.kind],
              <span key="v">
                <CopyableId value={list.name} most={60} /> <Bytes value={list.bytes} />
              </span>,
            ] as const,
        ),
        [fields.watermark, snapshot.watermark],
        [snapshotPage.statistics, snapshot.statistics],
        [snapshotPage.nextRowId, snapshot.next_row_id],
        [fields.refs, [...snapshot.tags, ...snapshot.consumers].join(", ") || null],
        ...Object.entries(snapshot.properties).map(([key, value]) => [key, value] as const),
      ]}
    />
  );
}
