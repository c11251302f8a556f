import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { fieldError } from "../../api/problem";
import { snapshotsQuery, tagsQuery } from "../../api/tables";
import { useOpenTable } from "../../app/table";
import { usePageSearch, useSetSearch } from "../../app/useSearch";
import { useFormat, useMessages } from "../../i18n";
import { Button } from "../../ui/Button";
import { Checkbox, SelectField } from "../../ui/Field";
import styles from "./Actions.module.css";
import type { FormProps } from "./PlanFlow";

/** Which snapshot or tag to go back to. */
export function RollbackForm({ busy, error, onPlan }: FormProps) {
  const { actionPage, kinds } = useMessages();
  const format = useFormat();
  const { ref, pin } = useOpenTable();
  const { to = "" } = usePageSearch();
  const setSearch = useSetSearch();
  const [guard, setGuard] = useState(true);
  const { data } = useInfiniteQuery(snapshotsQuery(ref, pin.branch, { limit: 1000 }));
  const { data: tags } = useInfiniteQuery(tagsQuery(ref, pin.branch));
  const snapshots = data?.pages.flatMap((page) => page.items) ?? [];
  const chosen = snapshots.find((snapshot) => snapshot.ref === to || String(snapshot.id) === to)?.ref ?? to;
  const options = [
    ["", actionPage.choose] as const,
    ...(tags?.pages.flatMap((page) => page.items) ?? []).flatMap((tag) =>
      tag.snapshot_id === null ? [] : [[`tag:${tag.name}`, `⚑ ${tag.name} (#${tag.snapshot_id})`] as const],
    ),
    ...snapshots
      .filter((snapshot) => !snapshot.is_latest)
      .map(
        (snapshot) =>
          [
            snapshot.ref,
            `#${snapshot.id} · ${kinds[snapshot.kind]} · ${format.time(snapshot.committed_at ?? "–")}`,
          ] as const,
      ),
  ];
  return (
    <form
      className={styles["form"]}
      onSubmit={(event) => {
        event.preventDefault();
        const target = chosen.startsWith("tag:") ? { tag: chosen.slice(4) } : { snapshot: chosen };
        onPlan({ to: target, guard });
      }}
    >
      <SelectField
        label={actionPage.target}
        hint={actionPage.targetHint}
        error={fieldError(error, "snapshot") ?? fieldError(error, "tag") ?? fieldError(error, "to")}
        value={options.some(([value]) => value === chosen) ? chosen : ""}
        options={options}
        onChange={(value) => setSearch({ to: value || undefined }, true)}
      />
      <Checkbox label={actionPage.guard} checked={guard} onChange={setGuard} />
      <div>
        <Button type="submit" look="primary" disabled={busy || chosen === ""}>
          {actionPage.computePlan}
        </Button>
      </div>
    </form>
  );
}
