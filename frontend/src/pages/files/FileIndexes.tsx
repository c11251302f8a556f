import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Schemas } from "../../api/client";
import { fileIndexesQuery } from "../../api/tables";
import { Answer } from "../../app/Answer";
import { useOpenTable } from "../../app/table";
import { useFormat, useMessages } from "../../i18n";
import { Bytes } from "../../ui/Bytes";
import { Count } from "../../ui/Count";
import { KeyValue } from "../../ui/KeyValue";
import { Notice } from "../../ui/States";
import { BitBars } from "../../viz/BitBars";

const RATIOS: ReadonlySet<string> = new Set(["fill_ratio", "false_positive_rate"]);

/** The file indexes of one data file: what the head says of each, and what each says of itself. */
export function FileIndexes({ name }: { name: string }): ReactNode {
  const { files, fields } = useMessages();
  const { ref, pin } = useOpenTable();
  const factName = useFactName();
  const factText = useFactText();
  return (
    <Answer query={useQuery(fileIndexesQuery(ref, pin, name))}>
      {(found) => (
        <>
          {found.problem !== null && <Notice tone="danger">{found.problem}</Notice>}
          {found.indexes.length === 0 && found.problem === null && <p className="muted">{files.noIndexes}</p>}
          {found.version !== null && <p className="muted">{files.indexVersion(found.version)}</p>}
          {found.indexes.map((index) => (
            <section key={`${index.column}/${index.type}`}>
              <h4>
                {index.column} · {index.type}
              </h4>
              <KeyValue
                items={[
                  [fields.size, <Bytes key="v" value={index.bytes} />],
                  index.offset !== null && [files.offset, <Count key="v" value={index.offset} />],
                  [fields.storage, files.storages[index.storage]],
                  ...Object.entries(index.details).map(
                    ([key, value]) => [factName(key), factText(key, value)] as const,
                  ),
                ]}
              />
              {index.bits.map((bits) => (
                <Bits key={bits.of} index={index} bits={bits} />
              ))}
            </section>
          ))}
        </>
      )}
    </Answer>
  );
}

type Index = Schemas["FileIndexes"]["indexes"][number];

/** How full the parts of a filter are, or how many rows have a bit of each slice. */
function Bits({ index, bits }: { index: Index; bits: Index["bits"][number] }) {
  const { files } = useMessages();
  const format = useFormat();
  const { of, shares } = bits;
  if (shares.length === 0) return null;
  return (
    <BitBars
      title={files.bitsOf(index.column, index.type)}
      summary={
        of === "filter"
          ? files.bits.filter(
              shares.length,
              format.percent(Math.min(...shares)),
              format.percent(Math.max(...shares)),
            )
          : files.bits[of](shares.length)
      }
      shares={shares}
      part={(at) => (of === "filter" ? files.bitPart(at + 1) : files.bitSlice(at))}
    />
  );
}

function useFactName(): (key: string) => string {
  const { files } = useMessages();
  const names: Readonly<Record<string, string>> = files.indexFacts;
  return (key) => names[key] ?? key;
}

/** `3.1 %` for a ratio, `0.02 %` for one that is small, `1,024` for a count; bounds as they are. */
function useFactText(): (key: string, value: unknown) => string {
  const { ui } = useMessages();
  const format = useFormat();
  return (key, value) => {
    if (typeof value === "boolean") return value ? ui.yes : ui.no;
    if (typeof value !== "number") return value === null ? "–" : String(value);
    if (RATIOS.has(key)) return `${(value * 100).toPrecision(3)} %`;
    return Number.isInteger(value) && !/_(min|max)$/.test(key) ? format.count(value) : String(value);
  };
}
