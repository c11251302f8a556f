import { useState } from "react";
import { useFormat } from "../../i18n";
import { Card } from "../../ui/Card";
import { BitBars, BitStrip } from "../../viz/BitBars";
import { CommitStrip } from "../../viz/CommitStrip";
import { DurationBox } from "../../viz/DurationBox";
import { Heatmap } from "../../viz/Heatmap";
import { LevelDiagram } from "../../viz/LevelDiagram";
import { LevelFlow } from "../../viz/LevelFlow";
import { SizeHistogram } from "../../viz/SizeHistogram";
import { Sparkline, StepLine } from "../../viz/Sparkline";
import { Timeline } from "../../viz/Timeline";
import type { XMode } from "../../viz/timeline";
import { sampleCommits, sampleLevels } from "./samples";

const FEW = sampleCommits(40);
const MANY = sampleCommits(2000);
const CALM = sampleLevels(2);
const PRESSED = sampleLevels(7);
const SIZED = Array.from({ length: 400 }, (_, at) => ({
  level: at % 3 === 0 ? 0 : 5,
  bytes: 2 ** (12 + ((at * 7) % 16)),
}));
const CELLS = ["dt=2026-01-20", "dt=2026-01-19", "dt=2026-01-18"].flatMap((partition, row) =>
  Array.from({ length: 16 }, (_, bucket) => ({
    partition,
    bucket,
    value: row === 0 && bucket === 4 ? 9.1 * 2 ** 30 : (40 + ((bucket * 37 + row * 11) % 60)) * 2 ** 22,
  })).filter((cell) => !(row === 2 && cell.bucket % 5 === 3)),
);

/** Every picture with its table twin. */
export function Pictures() {
  const format = useFormat();
  const [at, setAt] = useState<string | null>("30~ab12");
  const [mode, setMode] = useState<XMode>("order");
  return (
    <>
      <Card title="Timeline">
        <Timeline
          title="Timeline"
          commits={FEW}
          at={at}
          from="12~ab12"
          range={null}
          mode={mode}
          onMode={setMode}
          onPick={(commit) => setAt(commit.ref)}
          onRange={() => undefined}
        />
      </Card>
      <Card title="Timeline, 2,000 commits">
        <Timeline
          title="Dense timeline"
          commits={MANY}
          at={null}
          from={null}
          range={null}
          mode={mode}
          onMode={setMode}
          onPick={() => undefined}
          onRange={() => undefined}
        />
      </Card>
      <Card title="Level diagram, over the trigger">
        <LevelDiagram title="Bucket 4" {...PRESSED} trigger={5} stop={8} onOpen={() => undefined} />
      </Card>
      <Card title="Level diagram, calm">
        <LevelDiagram title="Bucket 5" {...CALM} trigger={5} stop={8} onOpen={() => undefined} />
      </Card>
      <Card title="Heatmap">
        <Heatmap
          title="Bytes by bucket"
          metric="bytes"
          cells={CELLS}
          show={format.bytes}
          onOpen={() => undefined}
        />
      </Card>
      <Card title="Size histogram">
        <SizeHistogram title="File sizes" files={SIZED} target={2 ** 27} small={0.7 * 2 ** 27} />
      </Card>
      <Card title="Level flow">
        <LevelFlow
          title="Bytes between levels"
          changes={[
            { level: 0, bytesRemoved: 92 * 2 ** 20, bytesAdded: 0 },
            { level: 3, bytesRemoved: 410 * 2 ** 20, bytesAdded: 0 },
            { level: 5, bytesRemoved: 0, bytesAdded: 480 * 2 ** 20 },
          ]}
        />
      </Card>
      <Card title="Commit strip">
        <CommitStrip
          label="14 commits"
          commits={FEW.slice(0, 14).map(({ id, kind, filesAdded, filesDeleted }) => ({
            id,
            kind,
            filesAdded,
            filesDeleted,
          }))}
        />
      </Card>
      <Card title="Bits">
        <BitBars
          title="Bits of bloom-filter on id"
          summary="Bits set in 64 parts of the filter: 17 % to 44 %."
          shares={Array.from({ length: 64 }, (_, at) => 0.17 + ((at * 29) % 28) / 100)}
          part={(at) => `part ${at + 1}`}
        />
        <BitStrip
          label="Rows are deleted in 22 of 64 parts of the file."
          counts={Array.from({ length: 64 }, (_, at) => (at % 3 === 0 ? (at * 5) % 40 : 0))}
          size={40}
        />
      </Card>
      <Card title="Durations">
        <DurationBox
          title="Earlier runs"
          now={84_000}
          runs={[31_000, 42_000, 45_000, 47_000, 58_000, 71_000].map((millis, at) => ({
            id: `j-${at + 1}`,
            millis,
            ended: `2026-01-2${at} 10:31:07`,
          }))}
        />
      </Card>
      <Card title="Sparkline and step line">
        <Sparkline label="Commits of the last 8 hours" values={[1, 3, 2, 6, 4, 9, 7, 2]} />
        <StepLine
          label="Live bytes"
          width={220}
          height={48}
          points={[1, 2, 2, 5, null, 7, 6].map((y, x) => ({ x, y }))}
        />
      </Card>
    </>
  );
}
