import { useState } from "react";
import { useFormat, useMessages } from "../i18n";
import { Button } from "../ui/Button";
import { Segments } from "../ui/Field";
import type { GridColumn } from "../ui/gridColumns";
import { Figure } from "./Figure";
import { COMMIT_KINDS, fitWindow, zoom, type TimelineCommit, type Window, type XMode } from "./timeline";
import { TimelinePicture, type TimelinePictureProps } from "./TimelinePicture";

interface TimelineProps extends Omit<TimelinePictureProps, "mode" | "fit" | "view" | "onView"> {
  readonly title: string;
  readonly mode: XMode;
  readonly onMode: (mode: XMode) => void;
}

/** The history of a table on one x axis: refs, commits, files, rows and bytes, with zoom, pan and brush. */
export function Timeline({ title, commits, at, from, range, mode, onMode, onPick, onRange }: TimelineProps) {
  const { viz, kinds } = useMessages();
  const format = useFormat();
  const [view, setView] = useState<Window | null>(null);
  const counts = COMMIT_KINDS.map((kind) => [kind, commits.filter((c) => c.kind === kind).length] as const);
  const parts = counts
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => viz.kindCount(format.count(count), kinds[kind]));
  const fit = fitWindow(commits, mode);
  const current = view ?? fit;
  return (
    <Figure
      title={title}
      summary={viz.timelineSummary(format.count(commits.length), parts)}
      columns={useTimelineColumns()}
      rows={commits.toReversed()}
      rowKey={(commit) => commit.ref}
      tools={
        <>
          <Segments
            label={viz.xAxis}
            value={mode}
            options={[
              ["time", viz.byTime],
              ["order", viz.byOrder],
            ]}
            onChange={(next) => {
              onMode(next);
              setView(null);
            }}
          />
          <Button onClick={() => setView(zoom(current, 0.5, 0.5, fit))} aria-label={viz.zoomIn}>
            +
          </Button>
          <Button onClick={() => setView(zoom(current, 2, 0.5, fit))} aria-label={viz.zoomOut}>
            −
          </Button>
          <Button onClick={() => setView(null)}>{viz.fit}</Button>
        </>
      }
      picture={
        <TimelinePicture
          {...{ commits, at, from, range, onPick, onRange, mode, fit }}
          view={current}
          onView={setView}
        />
      }
    />
  );
}

function useTimelineColumns(): GridColumn<TimelineCommit>[] {
  const { fields, kinds, viz } = useMessages();
  const format = useFormat();
  const text = (
    id: string,
    header: string,
    value: (commit: TimelineCommit) => string,
    align: "start" | "end" = "end",
  ): GridColumn<TimelineCommit> => ({ id, header, width: 80, align, cell: value, text: value });
  const known = (value: number | null, show: (v: number) => string) => (value === null ? "–" : show(value));
  return [
    text("id", fields.snapshot, (c) => `#${c.id}`, "start"),
    text("time", fields.time, (c) => format.time(new Date(c.millis).toISOString()), "start"),
    text("kind", fields.kind, (c) => kinds[c.kind], "start"),
    text("added", fields.filesAdded, (c) => known(c.filesAdded, format.count)),
    text("deleted", fields.filesDeleted, (c) => known(c.filesDeleted, format.count)),
    text("delta", fields.deltaRows, (c) => known(c.deltaRows, format.signed)),
    text("total", fields.totalRows, (c) => known(c.totalRows, format.count)),
    text("bytes", fields.bytesAdded, (c) => known(c.bytesAdded, format.bytes)),
    text(
      "retention",
      viz.retention,
      (c) => (c.expirable === null ? "–" : c.expirable ? viz.expirable : viz.keptByRules),
      "start",
    ),
    text("refs", fields.refs, (c) => [...c.tags, ...c.forks, ...c.consumers].join(", "), "start"),
  ];
}
