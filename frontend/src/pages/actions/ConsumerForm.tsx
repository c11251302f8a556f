import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { fieldError } from "../../api/problem";
import { consumersQuery } from "../../api/tables";
import { usePart } from "../../app/Parts";
import { useOpenTable } from "../../app/table";
import { usePageSearch, useSetSearch } from "../../app/useSearch";
import { useMessages } from "../../i18n";
import { SelectField } from "../../ui/Field";
import { NamedFields } from "./NamedFields";
import { PlanForm } from "./PlanForm";
import type { FormProps } from "./PlanFlow";
import { useTargets } from "./useTargets";

const ACTIONS = ["reset", "delete"] as const;

/** Which consumer reads what next. */
export function ConsumerForm({ busy, error, onPlan }: FormProps) {
  const { actionPage, refs } = useMessages();
  const search = usePageSearch();
  const setSearch = useSetSearch();
  const { ref, pin } = useOpenTable();
  const action = ACTIONS.find((known) => known === search["f.action"]) ?? "reset";
  const [name, setName] = useState(search["f.name"] ?? "");
  const listed = useInfiniteQuery(consumersQuery(ref, pin.branch));
  usePart(actionPage.lists.consumers, listed);
  const { snapshotChoices, inFull } = useTargets();
  const to = inFull(search.to ?? "");
  const consumers = listed.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <PlanForm
      disabled={busy || name === "" || (action === "reset" && to === "")}
      onSubmit={() => onPlan({ action, name, ...(action === "reset" && { snapshot: to }) })}
    >
      <NamedFields
        action={action}
        actions={ACTIONS.map((known) => [known, actionPage.consumerActions[known]] as const)}
        onAction={(value) => setSearch({ "f.action": value }, true)}
        label={actionPage.ofConsumer}
        names={consumers.map((consumer) => [
          consumer.id,
          consumer.next_snapshot === null ? consumer.id : `${consumer.id} (#${consumer.next_snapshot})`,
        ])}
        name={name}
        onName={setName}
        error={error}
      />
      {action === "reset" && (
        <SelectField
          label={refs.nextSnapshot}
          error={fieldError(error, "snapshot")}
          value={snapshotChoices.some(([known]) => known === to) ? to : ""}
          options={[["", actionPage.choose], ...snapshotChoices]}
          onChange={(value) => setSearch({ to: value || undefined }, true)}
        />
      )}
    </PlanForm>
  );
}
