import type { ReactNode } from "react";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { snapshotsQuery, storageQuery, type Snapshot, type Table } from "../../api/tables";
import { Answer } from "../../app/Answer";
import { JobLink, KindBadge, SnapshotLink, Watermark } from "../../app/cells";
import { NothingWritten } from "../../app/NothingWritten";
import { TablePage } from "../../app/Page";
import { pinOf } from "../../app/search";
import { tableName, useOpenTable } from "../../app/table";
import { hasSnapshots } from "../../app/tableTypes";
import { TypeFacts } from "../../app/TypeFacts";
import { usePageSearch } from "../../app/useSearch";
import { useFormat, useMessages } from "../../i18n";
import { Bytes } from "../../ui/Bytes";
import { Card, Cards } from "../../ui/Card";
import { CopyableId } from "../../ui/CopyableId";
import { Count } from "../../ui/Count";
import { KeyValue } from "../../ui/KeyValue";
import { Notice } from "../../ui/States";
import { Timestamp, useNow } from "../../ui/Timestamp";
import { CommitStrip } from "../../viz/CommitStrip";
import styles from "./OverviewPage.module.css";

/** A table at a glance: shape, freshness, cost of reading, latest commits, schema. */
export function OverviewPage(): ReactNode {
  const { overview, tabs } = useMessages();
  const { ref, summary } = useOpenTable();
  const title = `${tableName(ref)} · ${tabs.overview}`;
  if (!hasSnapshots(summary.type)) {
    return (
      <TablePage title={title}>
        <TypeFacts tableRef={ref} />
        <Cards>
          <TableCard summary={summary} />
        </Cards>
      </TablePage>
    );
  }
  return (
    <TablePage title={title}>
      {!summary.pointer.agree && (
        <Notice tone="danger">{summary.pointer.detail ?? overview.pointersDisagree}</Notice>
      )}
      {summary.problems.map((problem) => (
        <Notice key={problem} tone="warn">
          {problem}
        </Notice>
      ))}
      {summary.type !== "table" && <TypeFacts tableRef={ref} />}
      {summary.at === null && <NothingWritten />}
      <Cards>
        <ShapeCard summary={summary} />
        <FreshnessCard summary={summary} />
        <ReadCostCard summary={summary} />
        {summary.at !== null && <StorageCard />}
        <TableCard summary={summary} />
      </Cards>
      {summary.at !== null && <RecentCommits />}
    </TablePage>
  );
}

function useLinkParams() {
  const { ref } = useOpenTable();
  return {
    params: { wh: ref.warehouse, db: ref.database, table: ref.table },
    search: pinOf(usePageSearch()),
  };
}

function ShapeCard({ summary }: { summary: Table }) {
  const how = useHow();
  const { overview, fields } = useMessages();
  const { isPartitioned } = useOpenTable();
  const { shape } = summary;
  const hasLevels = summary.primary_keys.length > 0;
  const link = useLinkParams();
  return (
    <Card
      title={overview.shape}
      side={
        <Link to="/w/$wh/$db/$table/files" {...link}>
          {overview.showFiles}
        </Link>
      }
    >
      <KeyValue
        end
        items={[
          [overview.live, <Bytes key="v" value={shape?.bytes} />, how(overview.liveHow)],
          [fields.files, <Count key="v" value={shape?.files} />],
          [overview.rowsInFiles, <Count key="v" value={shape?.rows} />, how(overview.rowsHow)],
          isPartitioned && [fields.partitions, <Count key="v" value={shape?.partitions} />],
          summary.bucket_mode !== "unaware" && [fields.buckets, <Count key="v" value={shape?.buckets} />],
          hasLevels && [fields.levels, <Count key="v" value={shape?.levels} />],
        ]}
      />
    </Card>
  );
}

function FreshnessCard({ summary }: { summary: Table }) {
  const how = useHow();
  const { overview, fields, ui } = useMessages();
  const { freshness } = summary;
  const hasLevels = summary.primary_keys.length > 0;
  const link = useLinkParams();
  return (
    <Card
      title={overview.freshness}
      side={
        <Link to="/w/$wh/$db/$table/timeline" {...link}>
          {overview.openTimeline}
        </Link>
      }
    >
      <KeyValue
        end
        items={[
          [fields.lastCommit, <Timestamp key="v" value={freshness.last_commit_at} />],
          [
            fields.watermark,
            freshness.watermark === null ? (
              <span key="v" className="muted">
                {ui.none}
              </span>
            ) : (
              <Watermark key="v" value={freshness.watermark} />
            ),
          ],
          [
            overview.lastCompaction,
            <Timestamp key="v" value={freshness.last_compaction_at} />,
            overview.lastCompactionHow,
          ],
          hasLevels && [
            overview.waitingRows,
            <Count key="v" value={freshness.waiting_rows} />,
            how(overview.waitingHow),
          ],
          [fields.snapshots, <Count key="v" value={summary.snapshots} />],
        ]}
      />
    </Card>
  );
}

function ReadCostCard({ summary }: { summary: Table }) {
  const { overview } = useMessages();
  const format = useFormat();
  const cost = summary.read_cost;
  const link = useLinkParams();
  const files = summary.shape?.files ?? 0;
  const bytes = summary.shape?.bytes ?? 0;
  const how = useHow();
  const hasLevels = summary.primary_keys.length > 0;
  return (
    <Card
      title={overview.readCost}
      side={
        <Link to="/w/$wh/$db/$table/lsm" {...link}>
          {overview.showBuckets}
        </Link>
      }
    >
      <KeyValue
        end
        items={[
          hasLevels && [overview.runsMean, cost && format.decimal(cost.runs_mean), how(overview.runsHow)],
          hasLevels && [overview.runsMax, <Count key="v" value={cost?.runs_max} />],
          [
            overview.avoidable,
            cost && (
              <span key="v">
                {format.count(cost.avoidable_files)}
                {files > 0 && ` · ${format.percent(cost.avoidable_files / files)}`}
              </span>
            ),
            cost === null ? undefined : how(overview.avoidableHow(format.bytes(cost.target_bytes))),
          ],
          [
            overview.indexed,
            cost && format.percent(bytes === 0 ? 0 : cost.indexed_bytes / bytes),
            how(overview.indexedHow),
          ],
          [overview.targetSize, <Bytes key="v" value={cost?.target_bytes} />],
        ]}
      />
    </Card>
  );
}

/** What keeps the bytes; asked for by itself, as it looks through all of the history. */
function StorageCard() {
  const { overview } = useMessages();
  const format = useFormat();
  const { ref, pin } = useOpenTable();
  const link = useLinkParams();
  const answer = useQuery(storageQuery(ref, pin.branch));
  const text = (kept: { bytes: number; files: number }) =>
    overview.keptFiles(format.bytes(kept.bytes), format.count(kept.files));
  const looked = format.time(new Date(answer.dataUpdatedAt).toISOString());
  const how = (words: string) => `${words} ${overview.lookedAt(looked)}`;
  return (
    <Card
      title={overview.storage}
      side={
        <Link to="/w/$wh/$db/$table/refs" {...link}>
          {overview.showRefs}
        </Link>
      }
    >
      <Answer query={answer} part={overview.storage}>
        {(storage) => (
          <KeyValue
            end
            items={[
              [overview.live, text(storage.live), how(overview.latestHow)],
              ...(storage.levels.length > 1
                ? storage.levels.map((kept) => [overview.byLevel(kept.level), text(kept)] as const)
                : []),
              [
                overview.onlyOld,
                text(storage.old_snapshots),
                how(
                  storage.searched_from === null
                    ? overview.onlyOldHow
                    : `${overview.onlyOldHow} ${overview.searchedFrom(storage.searched_from)}`,
                ),
              ],
              [overview.onlyRefs, text(storage.refs), how(overview.onlyRefsHow)],
              [
                overview.orphans,
                <span key="v" className="muted">
                  {overview.notLooked}
                </span>,
                overview.orphansHow,
              ],
            ]}
          />
        )}
      </Answer>
    </Card>
  );
}

function TableCard({ summary }: { summary: Table }) {
  const { overview, fields, tableKinds } = useMessages();
  const link = useLinkParams();
  return (
    <Card
      wide
      title={overview.table}
      side={
        <Link
          to="/w/$wh/$db/$table/schemas/$schema"
          {...link}
          params={{ ...link.params, schema: String(summary.schema_id) }}
        >
          {overview.schemaOf(summary.schema_id)}
        </Link>
      }
    >
      <KeyValue
        across
        items={[
          hasSnapshots(summary.type) && [
            fields.kind,
            [tableKinds(summary.kind), summary.merge_engine].filter(Boolean).join(" · "),
          ],
          [fields.fields, <Count key="v" value={summary.fields} />],
          summary.primary_keys.length > 0 && [overview.primaryKey, summary.primary_keys.join(", ")],
          summary.partition_keys.length > 0 && [overview.partitionedBy, summary.partition_keys.join(", ")],
          summary.bucket_keys.length > 0 && [overview.bucketKey, summary.bucket_keys.join(", ")],
          [fields.location, <CopyableId key="v" value={summary.location} />],
          summary.comment !== null && [fields.comment, summary.comment],
        ]}
      />
    </Card>
  );
}

/** How a number comes about, with the snapshot and the time that it is of. */
function useHow(): (text: string) => string {
  const { overview } = useMessages();
  const format = useFormat();
  const { at } = useOpenTable().summary;
  return (text) =>
    at === null
      ? text
      : `${text} ${overview.asOf(String(at.id), at.committed_at === null ? "" : format.time(at.committed_at))}`;
}

const SHOWN_COMMITS = 12;
const LOADED_COMMITS = 40; // what the picture of the last day is made of, at most
const DAY_MILLIS = 86_400_000;
const MOST_WRITERS = 6;

/** The commits of the last day as marks, and who made them. */
function LastDay({ snapshots, now }: { snapshots: readonly Snapshot[]; now: number }) {
  const { overview } = useMessages();
  const since = now - DAY_MILLIS;
  const recent = snapshots.filter((s) => s.committed_at !== null && Date.parse(s.committed_at) >= since);
  const writers = new Map<string, Snapshot>();
  for (const snapshot of snapshots) {
    const who = snapshot.job ?? snapshot.commit_user;
    if (!writers.has(who)) writers.set(who, snapshot);
  }
  return (
    <div className={styles["day"]}>
      {recent.length === 0 ? (
        <p className="muted">{overview.noneInADay}</p>
      ) : (
        <CommitStrip
          label={overview.inADay(recent.length, recent.length === LOADED_COMMITS)}
          commits={recent.toReversed().map((s) => ({
            id: String(s.id),
            kind: s.kind,
            filesAdded: s.files_added,
            filesDeleted: s.files_deleted,
          }))}
        />
      )}
      <p>
        {overview.writers}:{" "}
        {[...writers].slice(0, MOST_WRITERS).map(([who, last], at) => (
          <span key={who}>
            {at > 0 && ", "}
            {last.job === null ? <code>{who}</code> : <JobLink job={last.job} />} (
            <Timestamp value={last.committed_at} />)
          </span>
        ))}
        {writers.size > MOST_WRITERS && " …"}
      </p>
    </div>
  );
}

function RecentCommits() {
  const { overview, fields } = useMessages();
  const { ref, pin } = useOpenTable();
  const link = useLinkParams();
  const snapshots = useInfiniteQuery(snapshotsQuery(ref, pin.branch, { limit: LOADED_COMMITS }));
  const now = useNow(60_000);
  return (
    <Card
      title={overview.recentCommits}
      side={
        <Link to="/w/$wh/$db/$table/timeline" {...link}>
          {overview.openTimeline}
        </Link>
      }
      flush
    >
      <Answer query={snapshots} part={overview.recentCommits}>
        {({ pages }) => (
          <>
            <LastDay snapshots={pages[0]?.items ?? []} now={now} />
            <div className={styles["scroll"]}>
              <table className={styles["commits"]}>
                <thead>
                  <tr>
                    <th>{fields.snapshot}</th>
                    <th>{fields.kind}</th>
                    <th>{fields.committed}</th>
                    <th className="number">{fields.deltaRows}</th>
                    <th className="number">{fields.filesAdded}</th>
                    <th className="number">{fields.filesDeleted}</th>
                    <th className="number">{fields.bytesAdded}</th>
                    <th>{fields.writer}</th>
                  </tr>
                </thead>
                <tbody>
                  {pages[0]?.items.slice(0, SHOWN_COMMITS).map((snapshot) => (
                    <tr key={snapshot.ref}>
                      <td>
                        <SnapshotLink id={snapshot.id} identity={snapshot.ref} />
                      </td>
                      <td>
                        <KindBadge kind={snapshot.kind} />
                      </td>
                      <td>
                        <Timestamp value={snapshot.committed_at} />
                      </td>
                      <td className="number">
                        <Count value={snapshot.delta_rows} signed />
                      </td>
                      <td className="number">
                        <Count value={snapshot.files_added} />
                      </td>
                      <td className="number">
                        <Count value={snapshot.files_deleted} />
                      </td>
                      <td className="number">
                        <Bytes value={snapshot.bytes_added} />
                      </td>
                      <td>
                        {snapshot.job === null ? (
                          <CopyableId value={snapshot.commit_user} most={20} />
                        ) : (
                          <Link to="/jobs/$job" params={{ job: snapshot.job }}>
                            {snapshot.job}
                          </Link>
                        )}
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          </>
        )}
      </Answer>
    </Card>
  );
}
