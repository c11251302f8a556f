import { useMemo } from "react";
import { useFormat, useMessages } from "../i18n";
import type { GridColumn } from "../ui/gridColumns";
import { Figure } from "./Figure";
import { depthSummary, mergeDepth, sortedRuns, type LevelFile } from "./levels";
import { LevelPicture, type KeyMark, type KeyScale } from "./LevelPicture";

interface LevelDiagramProps {
  readonly title: string;
  readonly keys: readonly string[]; // all least and greatest keys, in the table's own order
  readonly files: readonly LevelFile[];
  readonly trigger: number | null; // sorted runs that start a compaction
  readonly stop: number | null; // sorted runs that stall a writer
  /** Names of files to outline, as those that a compaction would take. */
  readonly picked?: ReadonlySet<string>;
  /** Names of files that came with the last step through the history. */
  readonly added?: ReadonlySet<string>;
  /** Files that went with it, drawn as shadows. */
  readonly removed?: readonly LevelFile[];
  /** A key to mark with a line: the index of it, or of the first key that is greater. */
  readonly mark?: KeyMark;
  /** Where each key lies between the least (0) and the greatest (1) by its value; null where that says nothing. */
  readonly places?: readonly number[] | null;
  readonly scale?: KeyScale;
  readonly onScale?: (scale: KeyScale) => void;
  readonly onOpen: (file: LevelFile) => void;
}

const NOTHING: ReadonlySet<string> = new Set();
const NONE: readonly LevelFile[] = [];

/** The files of one bucket over its keys, level by level, with how many files a reader merges at each key. */
export function LevelDiagram({
  title,
  keys,
  files,
  trigger,
  stop,
  picked,
  added,
  removed,
  mark,
  places,
  scale = "rank",
  onScale,
  onOpen,
}: LevelDiagramProps) {
  const { viz } = useMessages();
  const format = useFormat();
  const depth = useMemo(() => mergeDepth(files), [files]);
  const { mean, max } = depthSummary(depth, keys.length);
  const runs = sortedRuns(files);
  const columns = useLevelColumns(keys);
  const sorted = useMemo(() => files.toSorted((a, b) => a.level - b.level || a.lo - b.lo), [files]);
  const pressure =
    stop !== null && runs >= stop ? "stop" : trigger !== null && runs > trigger ? "over" : "calm";
  return (
    <Figure
      title={title}
      summary={viz.levelSummary(format.count(runs), format.decimal(mean), format.count(max), pressure)}
      columns={columns}
      rows={sorted}
      rowKey={(file) => file.name}
      picture={
        <LevelPicture
          {...{ keys, files, trigger, stop, onOpen }}
          places={places ?? null}
          scale={places ? scale : "rank"}
          onScale={onScale ?? null}
          picked={picked ?? NOTHING}
          added={added ?? NOTHING}
          removed={removed ?? NONE}
          mark={mark ?? null}
        />
      }
    />
  );
}

function useLevelColumns(keys: readonly string[]): GridColumn<LevelFile>[] {
  const { fields } = useMessages();
  const format = useFormat();
  const text = (
    id: string,
    header: string,
    value: (file: LevelFile) => string,
    align: "start" | "end" = "start",
  ): GridColumn<LevelFile> => ({ id, header, width: 80, align, cell: value, text: value });
  return [
    text("level", fields.level, (file) => `L${file.level}`),
    text("file", fields.file, (file) => file.name),
    text("lo", fields.minKey, (file) => keys[file.lo] ?? ""),
    text("hi", fields.maxKey, (file) => keys[file.hi] ?? ""),
    text("bytes", fields.bytes, (file) => format.bytes(file.bytes), "end"),
    text("rows", fields.rows, (file) => format.count(file.rows), "end"),
    text(
      "deletes",
      fields.deletes,
      (file) => (file.deletes === null ? "–" : format.count(file.deletes)),
      "end",
    ),
    text("seq", fields.sequence, (file) => `${file.seq[0]} … ${file.seq[1]}`, "end"),
    text("source", fields.source, (file) => file.source ?? "–"),
  ];
}
