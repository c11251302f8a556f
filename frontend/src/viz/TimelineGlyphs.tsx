import type { KeyboardEvent } from "react";
import { useFormat, useMessages } from "../i18n";
import { COMMIT_KINDS, type CommitKind, type Glyph, type TimelineCommit } from "./timeline";
import { BANDS } from "./timelineBands";
import styles from "./Viz.module.css";

export const SHAPES: Record<CommitKind, string> = {
  append: "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0",
  compact: "M0-6.5 6.5 0 0 6.5-6.5 0z",
  overwrite: "M-5-5h10v10h-10z",
  analyze: "M0-6 6 5H-6z",
  unknown: "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0",
};

interface GlyphsProps {
  readonly glyphs: readonly Glyph[];
  readonly top: number;
  readonly at: string | null;
  readonly onPick: (commit: TimelineCommit, asBase: boolean) => void;
  readonly onExtend: (left: TimelineCommit, to: TimelineCommit) => void;
}

/**
 * One button a commit; left and right go to the neighbour, with Shift they select on the way; Enter pins, with Shift it
 * makes the commit the base.
 */
export function Glyphs({ glyphs, top, at, onPick, onExtend }: GlyphsProps) {
  const { viz, kinds } = useMessages();
  const format = useFormat();
  const reachable = glyphs.find((glyph) => glyph.commit.ref === at) ?? glyphs.at(-1);
  const onKeyDown = (event: KeyboardEvent<SVGGElement>, commit: TimelineCommit) => {
    const sibling =
      event.key === "ArrowLeft"
        ? event.currentTarget.previousElementSibling
        : event.key === "ArrowRight"
          ? event.currentTarget.nextElementSibling
          : null;
    if (sibling instanceof SVGElement) {
      sibling.focus();
      const next =
        glyphs[glyphs.findIndex((glyph) => glyph.commit === commit) + (event.key === "ArrowLeft" ? -1 : 1)];
      if (event.shiftKey && next !== undefined) onExtend(commit, next.commit);
    }
    if (event.key === "Enter" || event.key === " ") onPick(commit, event.shiftKey);
    else if (sibling === null) return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <g>
      {glyphs.map((glyph) => {
        const { commit, x } = glyph;
        const name = viz.commitName(
          commit.id,
          kinds[commit.kind],
          format.time(new Date(commit.millis).toISOString()),
        );
        return (
          <g
            key={commit.ref}
            role="button"
            tabIndex={glyph === reachable ? 0 : -1}
            aria-label={name}
            aria-pressed={commit.ref === at}
            className={styles["glyph"]}
            transform={`translate(${x},${top + 13})`}
            onPointerDown={(event) => event.stopPropagation()}
            onClick={(event) => onPick(commit, event.shiftKey)}
            onKeyDown={(event) => onKeyDown(event, commit)}
          >
            <title>{name}</title>
            <circle className={styles["halo"]} r={12} />
            {(commit.byJob || commit.ref === at) && (
              <circle
                r={9}
                fill="none"
                stroke={commit.ref === at ? "var(--accent)" : "currentColor"}
                strokeWidth={1.5}
              />
            )}
            <path className={styles[commit.kind]} d={SHAPES[commit.kind]} />
          </g>
        );
      })}
    </g>
  );
}

/** Commits too dense for a glyph each: stacked by kind. */
export function Bins({
  bins,
  top,
}: {
  bins: readonly { x: number; width: number; counts: Readonly<Record<CommitKind, number>> }[];
  top: number;
}) {
  const { kinds } = useMessages();
  const most = Math.max(
    1,
    ...bins.map((bin) => COMMIT_KINDS.reduce((sum, kind) => sum + bin.counts[kind], 0)),
  );
  return bins.map((bin) => {
    let y = top + BANDS.commits;
    return (
      <g key={bin.x}>
        <title>
          {COMMIT_KINDS.filter((kind) => bin.counts[kind] > 0)
            .map((kind) => `${bin.counts[kind]} ${kinds[kind]}`)
            .join(", ")}
        </title>
        {COMMIT_KINDS.map((kind) => {
          const height = (bin.counts[kind] / most) * BANDS.commits;
          y -= height;
          return (
            <rect key={kind} className={styles[kind]} x={bin.x} y={y} width={bin.width} height={height} />
          );
        })}
      </g>
    );
  });
}

/** What the marks mean; only those that are in the picture. */
export function TimelineLegend({ commits, gaps }: { commits: readonly TimelineCommit[]; gaps: boolean }) {
  const { kinds, viz } = useMessages();
  const has = (what: (commit: TimelineCommit) => boolean) => commits.some(what);
  return (
    <div className={styles["legend"]}>
      {COMMIT_KINDS.filter((kind) => has((commit) => commit.kind === kind)).map((kind) => (
        <span key={kind}>
          <svg width="14" height="14" viewBox="-7 -7 14 14" aria-hidden="true">
            <path className={styles[kind]} d={SHAPES[kind]} />
          </svg>
          {kinds[kind]}
        </span>
      ))}
      {has((commit) => commit.byJob) && (
        <span>
          <svg width="14" height="14" viewBox="-7 -7 14 14" aria-hidden="true">
            <circle r={6} fill="none" stroke="currentColor" strokeWidth={1.5} />
          </svg>
          {viz.byJob}
        </span>
      )}
      {has((commit) => commit.tags.length > 0) && <span>⚑ {viz.tag}</span>}
      {has((commit) => commit.forks.length > 0) && (
        <span>
          <svg width="12" height="20" viewBox="-2 3 12 20" aria-hidden="true">
            <path className={styles["fork"]} d="M0 21V15C0 9 6 12 6 5M6 5l-3 4M6 5l3 4" />
          </svg>
          {viz.branch}
        </span>
      )}
      {has((commit) => commit.consumers.length > 0) && <span>▼ {viz.consumer}</span>}
      {commits.some((commit) => commit.expirable !== null) && (
        <span>
          <svg width="16" height="10" aria-hidden="true">
            <path className={styles["bracket"]} d="M1 8V2H15V8" />
          </svg>
          {viz.keptByRules}
        </span>
      )}
      {has((commit) => commit.expirable === true) && (
        <span>
          <svg width="12" height="12" aria-hidden="true">
            <rect className={styles["expirable"]} width="12" height="12" />
          </svg>
          {viz.expirable}
        </span>
      )}
      {gaps && <span>⌇ {viz.idsMissing}</span>}
      <LegendMark look="added">{viz.addedBars}</LegendMark>
      <LegendMark look="removed">{viz.removedBars}</LegendMark>
      <span>
        <svg width="18" height="10" aria-hidden="true">
          <path className={styles["line"]} d="M0 7H8V3H18" />
        </svg>
        {viz.totalLine}
      </span>
      <span>
        <svg width="18" height="10" aria-hidden="true">
          <path className={styles["thin"]} d="M1 7L6 3L11 8L17 5" />
        </svg>
        {viz.bytesAddedLine}
      </span>
      <span className="muted">{viz.timelineHint}</span>
    </div>
  );
}

function LegendMark({ look, children }: { look: "added" | "removed"; children: string }) {
  return (
    <span>
      <svg width="8" height="12" aria-hidden="true">
        <rect className={styles[look]} width="8" height="12" />
      </svg>
      {children}
    </span>
  );
}
