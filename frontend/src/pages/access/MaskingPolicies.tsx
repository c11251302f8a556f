import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import {
  accessKeys,
  createMaskingPolicy,
  maskingPoliciesQuery,
  removeMaskingPolicy,
  type MaskingPolicy,
} from "../../api/access";
import { fieldError } from "../../api/problem";
import { Failed } from "../../app/Answer";
import { useColumnMakers } from "../../app/columns";
import { useMessages } from "../../i18n";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { SelectField, TextField } from "../../ui/Field";
import { Empty } from "../../ui/States";
import { ListCard } from "./ListCard";
import { toScope } from "./scope";

const KINDS = ["hide", "hash", "partial", "sensitive"] as const;
type Kind = (typeof KINDS)[number];

/** Which columns are masked where, and how; setting a policy and taking it away. */
export function MaskingPolicies(): ReactNode {
  const { access, fields, masking } = useMessages();
  const make = useColumnMakers();
  const [adding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<MaskingPolicy | null>(null);
  const columns = [
    make.text<MaskingPolicy>(
      "scope",
      fields.scope,
      (p) => (p.scope_text === "*" ? access.everything : p.scope_text),
      { grow: 2 },
    ),
    make.text<MaskingPolicy>("column", masking.column, (p) => p.column),
    make.text<MaskingPolicy>("kind", masking.kind, (p) =>
      p.kind === "partial" ? masking.lastOf(String(p.keep)) : masking.kinds[p.kind],
    ),
    make.time<MaskingPolicy>("created_at", fields.created, (p) => p.created_at),
    make.text<MaskingPolicy>("created_by", access.grantedBy, (p) => p.created_by),
    make.text<MaskingPolicy>("actions", access.actions, () => "", {
      width: 110,
      grow: 0,
      cell: (p) => (
        <Button look="quiet" onClick={() => setRemoving(p)}>
          {masking.remove}
        </Button>
      ),
    }),
  ];
  return (
    <ListCard
      title={masking.title}
      query={maskingPoliciesQuery}
      columns={columns}
      rowKey={(p) => String(p.id)}
      add={{ label: masking.add, onClick: () => setAdding(true) }}
      detail={masking.detail}
      empty={<Empty title={masking.none}>{masking.noneDetail}</Empty>}
    >
      {adding && <AddPolicy onClose={() => setAdding(false)} />}
      {removing !== null && <RemovePolicy policy={removing} onClose={() => setRemoving(null)} />}
    </ListCard>
  );
}

function useChanged(onClose: () => void) {
  const client = useQueryClient();
  return () => {
    void client.invalidateQueries({ queryKey: accessKeys.masking });
    onClose();
  };
}

function RemovePolicy({ policy, onClose }: { policy: MaskingPolicy; onClose: () => void }) {
  const { access, masking, ui } = useMessages();
  const onSuccess = useChanged(onClose);
  const remove = useMutation({ mutationFn: () => removeMaskingPolicy(policy.id), onSuccess });
  const scope = policy.scope_text === "*" ? access.everything : policy.scope_text;
  return (
    <Dialog
      title={masking.removeTitle}
      open
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{ui.cancel}</Button>
          <Button look="danger" disabled={remove.isPending} onClick={() => remove.mutate()}>
            {masking.remove}
          </Button>
        </>
      }
    >
      <p>{masking.removeDetail(policy.column, scope)}</p>
      {remove.error !== null && <Failed error={remove.error} />}
    </Dialog>
  );
}

function AddPolicy({ onClose }: { onClose: () => void }) {
  const { access, masking, ui } = useMessages();
  const [scope, setScope] = useState("");
  const [column, setColumn] = useState("");
  const [kind, setKind] = useState<Kind>("hide");
  const [keep, setKeep] = useState("4");
  const onSuccess = useChanged(onClose);
  const add = useMutation({
    mutationFn: () =>
      createMaskingPolicy({
        scope: toScope(scope),
        column: column.trim(),
        kind,
        keep: kind === "partial" ? Number(keep) : 0,
      }),
    onSuccess,
  });
  return (
    <Dialog
      title={masking.add}
      open
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{ui.cancel}</Button>
          <Button
            look="primary"
            disabled={scope.trim() === "" || column.trim() === "" || add.isPending}
            onClick={() => add.mutate()}
          >
            {masking.add}
          </Button>
        </>
      }
    >
      <TextField
        label={access.scope}
        hint={access.scopeHint}
        value={scope}
        error={fieldError(add.error, "scope")}
        onChange={(event) => setScope(event.target.value)}
      />
      <TextField
        label={masking.columnLabel}
        hint={masking.columnHint}
        value={column}
        error={fieldError(add.error, "column")}
        onChange={(event) => setColumn(event.target.value)}
      />
      <SelectField
        label={masking.kindLabel}
        hint={masking.kindHints[kind]}
        value={kind}
        options={KINDS.map((id) => [id, masking.kinds[id]] as const)}
        onChange={(value) => setKind(KINDS.find((id) => id === value) ?? "hide")}
      />
      {kind === "partial" && (
        <TextField
          label={masking.keep}
          hint={masking.keepHint}
          type="number"
          min={1}
          max={100}
          value={keep}
          error={fieldError(add.error, "keep")}
          onChange={(event) => setKeep(event.target.value)}
        />
      )}
      {add.error !== null && <Failed error={add.error} />}
    </Dialog>
  );
}
