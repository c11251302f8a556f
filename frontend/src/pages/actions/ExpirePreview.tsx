import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { previewExpiry, type ExpireParams } from "../../api/jobs";
import { ApiProblem } from "../../api/problem";
import { tableKeys } from "../../api/tables";
import { Failed } from "../../app/Answer";
import { useOpenTable } from "../../app/table";
import { useFormat, useMessages } from "../../i18n";
import { Bytes } from "../../ui/Bytes";
import { KeyValue } from "../../ui/KeyValue";

const PAUSE_MILLIS = 300;
const PARTITIONS = 5;

/** What a plan would say by the limits as they stand in the form; follows them as they move. */
export function useExpirePreview(params: ExpireParams, valid: boolean) {
  const { ref, pin } = useOpenTable();
  const asked = useSettled(params);
  const branch = pin.branch ?? "main";
  return useQuery({
    queryKey: [...tableKeys.all(ref), "expire-preview", branch, asked],
    queryFn: ({ signal }) => previewExpiry(ref, { kind: "expire", branch, params: asked }, signal),
    enabled: valid,
    placeholderData: keepPreviousData,
    retry: false,
  });
}

/** What would go by these limits, as far as it is known by now. */
export function ExpirePreview({ query }: { query: ReturnType<typeof useExpirePreview> }) {
  const { actionPage, counts, expiry } = useMessages();
  const format = useFormat();
  const { data, error, isPlaceholderData } = query;
  // What is wrong with a limit is told at its field once the plan is asked for, and here at once.
  if (error instanceof ApiProblem && error.problem.errors.length > 0) {
    return (
      <p role="status" className="muted">
        {error.problem.errors.map((one) => one.detail).join(" ")}
      </p>
    );
  }
  if (error !== null) return <Failed error={error} />;
  if (data === undefined) return null;
  const { effects, warnings } = data;
  return (
    <section
      aria-label={expiry.preview}
      aria-busy={isPlaceholderData}
      style={{ opacity: isPlaceholderData ? 0.6 : 1 }}
    >
      <KeyValue
        items={[
          [
            actionPage.snapshotsRemoved,
            <span key="v" role="status">
              {expiry.of(
                format.count(effects.snapshots_removed.length),
                format.count(effects.snapshots_removed.length + effects.snapshots_kept),
              )}
            </span>,
          ],
          [
            actionPage.freed,
            <span key="v">
              {counts.files(format.count(effects.files_freed.count ?? 0))} ·{" "}
              <Bytes value={effects.files_freed.bytes} />
            </span>,
          ],
          effects.partitions.length > 0 && [
            expiry.mostOf,
            effects.partitions
              .slice(0, PARTITIONS)
              .map((p) => `${p.partition}: ${format.bytes(p.bytes)}`)
              .join("; "),
          ],
        ]}
      />
      {warnings.map((warning) => (
        <p key={warning.detail} className="muted">
          ⚠ {warning.detail}
        </p>
      ))}
    </section>
  );
}

/** A value once it has not changed for a moment. */
function useSettled(value: ExpireParams): ExpireParams {
  const [settled, setSettled] = useState(value);
  const text = JSON.stringify(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(JSON.parse(text) as ExpireParams), PAUSE_MILLIS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
