import { useQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useState } from "react";
import { bucketCommitsQuery } from "../../api/tables";
import { useShortcuts } from "../../app/shortcuts";
import { usePart } from "../../app/Parts";
import { useOpenTable } from "../../app/table";
import { usePageSearch, useSetSearch } from "../../app/useSearch";
import { useMessages } from "../../i18n";
import { Button } from "../../ui/Button";
import styles from "./BucketPage.module.css";

const STEP_MILLIS = 1200;

/** A slider over the commits that changed the bucket, also on `[` and `]`: what each brought and took away. */
export function Scrub({ partition, bucket }: { partition: string; bucket: number }) {
  const { lsm } = useMessages();
  const { ref, pin, summary } = useOpenTable();
  const setSearch = useSetSearch();
  const answer = useQuery(bucketCommitsQuery(ref, pin.branch, partition, bucket));
  usePart(lsm.scrub, answer);
  const { data } = answer;
  const commits = useMemo(() => data?.items ?? [], [data]);
  const asked = usePageSearch().at;
  const here = summary.at?.id ?? -1;
  // The commit that was asked for, or the last one that changed the bucket up to the snapshot in view.
  const named = commits.findIndex((commit) => commit.ref === asked);
  const at = named >= 0 ? named : commits.findLastIndex((commit) => commit.id <= here);
  const [playing, setPlaying] = useState(false);
  const go = useCallback(
    (to: number) => {
      const commit = commits[to];
      if (commit !== undefined) setSearch({ at: commit.ref, from: commits[to - 1]?.ref }, true);
    },
    [commits, setSearch],
  );
  useShortcuts(
    useMemo(() => ({ "[": () => go(at - 1), "]": () => go(at + 1) }), [go, at]),
    true,
  );
  const running = playing && at < commits.length - 1;
  useEffect(() => {
    if (!running) return;
    const timer = setTimeout(() => go(at + 1), STEP_MILLIS);
    return () => clearTimeout(timer);
  }, [running, at, go]);
  if (commits.length < 2) return null;
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const commit = commits[at];
  return (
    <div className={styles["scrub"]}>
      <label className={styles["slider"]}>
        {lsm.scrub}
        <input
          type="range"
          min={0}
          max={commits.length - 1}
          value={Math.max(0, at)}
          aria-valuetext={commit === undefined ? "" : lsm.scrubbed(commit.id, commit.added, commit.removed)}
          onChange={(event) => go(Number(event.target.value))}
        />
      </label>
      <output>{commit !== undefined && lsm.scrubbed(commit.id, commit.added, commit.removed)}</output>
      <Button
        aria-pressed={running}
        disabled={still}
        {...(still && { title: lsm.noMotion })}
        onClick={() => {
          if (at >= commits.length - 1) go(0);
          setPlaying(!running);
        }}
      >
        {running ? `⏸ ${lsm.pause}` : `▶ ${lsm.play}`}
      </Button>
    </div>
  );
}
