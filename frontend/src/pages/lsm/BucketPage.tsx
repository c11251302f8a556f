import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useMemo, useState, type ReactNode } from "react";
import { lsmQuery, type Lsm } from "../../api/tables";
import { Answer } from "../../app/Answer";
import { TablePage } from "../../app/Page";
import { pinOf } from "../../app/search";
import { tableName, useOpenTable } from "../../app/table";
import { usePageParams, usePageSearch, useSetSearch } from "../../app/useSearch";
import { useFormat, useMessages } from "../../i18n";
import { Badge } from "../../ui/Badge";
import { buttonClass } from "../../ui/Button";
import { Bytes } from "../../ui/Bytes";
import { Card, Cards } from "../../ui/Card";
import { Checkbox } from "../../ui/Field";
import { KeyValue } from "../../ui/KeyValue";
import { Empty, Notice } from "../../ui/States";
import { LevelDiagram } from "../../viz/LevelDiagram";
import type { LevelFile } from "../../viz/levels";
import styles from "./BucketPage.module.css";
import { markOf, Probe } from "./Probe";
import { useProbe } from "./useProbe";
import { Scrub } from "./Scrub";

/** The levels of one bucket: what overlaps, how deep a reader merges, what compaction would take. */
export function BucketPage(): ReactNode {
  const { lsm } = useMessages();
  const { partition = "-", bucket = "0" } = usePageParams();
  const { ref, pin, isBehind } = useOpenTable();
  const { from } = usePageSearch();
  const search = pinOf(usePageSearch());
  const answer = useQuery({
    ...lsmQuery(ref, pin, partition, Number(bucket), from),
    enabled: !isBehind, // `from` is of the snapshot that is on its way
    placeholderData: (before) =>
      before?.partition === partition && before.bucket === Number(bucket) ? before : undefined,
  });
  const params = { wh: ref.warehouse, db: ref.database, table: ref.table };
  return (
    <TablePage title={`${tableName(ref)} · ${lsm.bucketTitle(partition, bucket)}`}>
      <div className={styles["head"]}>
        <Link to="/w/$wh/$db/$table/lsm" params={params} search={search}>
          ‹ {lsm.allBuckets}
        </Link>
        <h2>{lsm.bucketTitle(partition, bucket)}</h2>
        <Link
          to="/w/$wh/$db/$table/actions/$kind"
          params={{ ...params, kind: "compact" }}
          search={{ branch: search.branch, "f.partition": partition, "f.bucket": bucket }}
          className={buttonClass()}
        >
          {lsm.compactThis}
        </Link>
      </div>
      <Scrub partition={partition} bucket={Number(bucket)} />
      <Answer query={answer}>{(data) => <Bucket lsm={data} />}</Answer>
    </TablePage>
  );
}

function Bucket({ lsm: data }: { lsm: Lsm }) {
  const { lsm } = useMessages();
  const format = useFormat();
  const { ref } = useOpenTable();
  const search = pinOf(usePageSearch());
  const navigate = useNavigate();
  const files = useMemo(() => data.files.map(toLevelFile), [data.files]);
  const removed = useMemo(() => data.removed.map(toLevelFile), [data.removed]);
  const added = useMemo(() => new Set(data.added), [data.added]);
  const [outlined, setOutlined] = useState(false);
  const { view } = usePageSearch();
  const setSearch = useSetSearch();
  const { asked, probe } = useProbe(data);
  const mark = probe.data?.as_of === data.as_of ? markOf(probe.data) : undefined;
  if (files.length === 0) return <Empty title={lsm.emptyBucket}>{lsm.emptyBucketDetail}</Empty>;
  return (
    <>
      <Facts lsm={data} />
      {data.runs >= data.stop && (
        <Notice tone="danger">{lsm.stalled(format.count(data.runs), data.stop)}</Notice>
      )}
      {data.redacted && <Notice>{lsm.redacted}</Notice>}
      <LevelDiagram
        title={lsm.bucketTitle(data.partition, String(data.bucket))}
        keys={data.keys}
        files={files}
        trigger={data.trigger}
        stop={data.stop}
        added={added}
        removed={removed}
        places={data.places}
        scale={view === "value" ? "value" : "rank"}
        onScale={(scale) => setSearch({ view: scale === "rank" ? undefined : scale }, true)}
        {...(outlined && { picked: new Set(data.pick?.files) })}
        {...(mark !== undefined && removed.length === 0 && { mark })}
        onOpen={(file) =>
          void navigate({
            to: "/w/$wh/$db/$table/files",
            params: { wh: ref.warehouse, db: ref.database, table: ref.table },
            search: {
              ...search,
              "f.partition": data.partition,
              "f.bucket": String(data.bucket),
              open: `file:${file.name}`,
            },
          })
        }
      />
      <Probe lsm={data} asked={asked} probe={probe} />
      <Cards>
        <Pick pick={data.pick} outlined={outlined} onOutline={setOutlined} />
        <Rules rules={data.rules} />
      </Cards>
    </>
  );
}

/** What decides whether the bucket is under pressure, in one line. */
function Facts({ lsm: data }: { lsm: Lsm }) {
  const { lsm, counts } = useMessages();
  const format = useFormat();
  const sum = (value: (level: Lsm["levels"][number]) => number) =>
    data.levels.reduce((total, level) => total + value(level), 0);
  return (
    <p className={styles["facts"]}>
      <strong>{lsm.runsFact(format.count(data.runs))}</strong>
      <span>{lsm.triggerFact(format.count(data.trigger))}</span>
      <span>{lsm.stopFact(format.count(data.stop))}</span>
      {data.runs >= data.stop ? (
        <Badge tone="danger" glyph="⚠">
          {lsm.mayStall}
        </Badge>
      ) : (
        data.runs > data.trigger && (
          <Badge tone="warn" glyph="⚠">
            {lsm.overTrigger}
          </Badge>
        )
      )}
      <span>{counts.files(format.count(sum((level) => level.files)))}</span>
      <Bytes value={sum((level) => level.bytes)} />
      <span>{counts.rows(format.count(sum((level) => level.rows)))}</span>
    </p>
  );
}

interface PickProps {
  readonly pick: Lsm["pick"];
  readonly outlined: boolean;
  readonly onOutline: (outlined: boolean) => void;
}

function Pick({ pick, outlined, onOutline }: PickProps) {
  const { lsm } = useMessages();
  const format = useFormat();
  return (
    <Card title={lsm.pick}>
      {pick === null ? (
        <p className="muted">{lsm.noPick}</p>
      ) : (
        <>
          <KeyValue
            items={[
              [lsm.rule, lsm.reasons(pick.reason)],
              [lsm.takes, lsm.takesFiles(format.count(pick.files.length))],
              [lsm.rewrites, <Bytes key="v" value={pick.bytes} />],
              [lsm.into, `L${pick.output_level}`],
            ]}
          />
          <Checkbox label={lsm.showPick} checked={outlined} onChange={onOutline} />
        </>
      )}
    </Card>
  );
}

function Rules({ rules }: { rules: Lsm["rules"] }) {
  const { lsm } = useMessages();
  const format = useFormat();
  // How much larger the next run is than the newest: said in words, as a sign would be taken for a dash.
  const measured = (name: string, value: number) =>
    name === "size ratio percent"
      ? lsm.nextRun(format.decimal(Math.abs(value)), value < 0)
      : format.decimal(value);
  return (
    <Card title={lsm.rules}>
      <div className={styles["scroll"]}>
        <table className={styles["rules"]}>
          <thead>
            <tr>
              <th>{lsm.rule}</th>
              <th className="number">{lsm.measured}</th>
              <th className="number">{lsm.threshold}</th>
              <th>{lsm.outcome}</th>
            </tr>
          </thead>
          <tbody>
            {rules.map((rule) => (
              <tr key={rule.name}>
                <td>{lsm.ruleNames(rule.name)}</td>
                <td className="number">
                  {rule.measured === null ? "–" : measured(rule.name, rule.measured)}
                </td>
                <td className="number">{format.decimal(rule.threshold)}</td>
                <td>{rule.met ? `✓ ${lsm.met}` : <span className="muted">{lsm.notMet}</span>}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  );
}

function toLevelFile(file: Lsm["files"][number]): LevelFile {
  const [least = "0", greatest = "0"] = file.seq;
  return {
    ...file,
    source: file.source === "append" || file.source === "compact" ? file.source : null,
    seq: [least, greatest],
    created: file.created_at,
  };
}
