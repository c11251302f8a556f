import { useMessages } from "../i18n";
import { SHAPES } from "./TimelineGlyphs";
import type { CommitKind } from "./timeline";
import styles from "./Viz.module.css";

export interface StripCommit {
  readonly id: string;
  readonly kind: CommitKind;
  readonly filesAdded: number | null;
  readonly filesDeleted: number | null;
}

const STEP = 18;
const GLYPHS = 16; // height of the row of marks
const BAR = 14; // greatest height of a bar, up and down

/** One mark a commit in a row, with the files that it added above a line and those that it deleted below. */
export function CommitStrip({ label, commits }: { label: string; commits: readonly StripCommit[] }) {
  const { kinds } = useMessages();
  const most = commits.reduce((top, c) => Math.max(top, c.filesAdded ?? 0, c.filesDeleted ?? 0), 1);
  const height = (files: number | null) =>
    files === null || files === 0 ? 0 : Math.max(1, (files / most) * BAR);
  const zero = GLYPHS + 6 + BAR;
  return (
    <figure className={styles["strip"]}>
      <figcaption>{label}</figcaption>
      <div className={styles["stripscroll"]} tabIndex={0} role="region" aria-label={label}>
        <svg width={commits.length * STEP} height={zero + BAR + 2} role="img" aria-label={label}>
          <line className={styles["axis"]} x2={commits.length * STEP} y1={zero} y2={zero} />
          {commits.map((commit, at) => (
            <g key={commit.id} transform={`translate(${at * STEP + STEP / 2},0)`}>
              <title>
                #{commit.id} {kinds[commit.kind]} +{commit.filesAdded ?? "?"} −{commit.filesDeleted ?? "?"}
              </title>
              <path className={styles[commit.kind]} d={SHAPES[commit.kind]} transform="translate(0,8)" />
              <rect
                className={styles["added"]}
                x={-4}
                width={8}
                y={zero - height(commit.filesAdded)}
                height={height(commit.filesAdded)}
              />
              <rect
                className={styles["removed"]}
                x={-4}
                width={8}
                y={zero}
                height={height(commit.filesDeleted)}
              />
            </g>
          ))}
        </svg>
      </div>
    </figure>
  );
}
