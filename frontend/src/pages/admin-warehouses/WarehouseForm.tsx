import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState, type ReactNode } from "react";
import { fieldError } from "../../api/problem";
import {
  changeWarehouse,
  checkTarget,
  kindsQuery,
  registerWarehouse,
  warehouseKeys,
  type KindField,
  type KindForm,
  type Kinds,
  type Warehouse,
} from "../../api/warehouses";
import { Answer, Failed } from "../../app/Answer";
import { useLocale, useMessages } from "../../i18n";
import { Badge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { CodeField, SelectField, TextField } from "../../ui/Field";
import { useToast } from "../../ui/Toast";
import styles from "./AdminWarehouses.module.css";
import {
  EMPTY,
  draftOf,
  fieldsOf,
  formsOf,
  isComplete,
  LOCATION,
  targetOf,
  valueOf,
  type Draft,
} from "./draft";
import { Steps } from "./Steps";

/** Registers a warehouse, or changes a registered one: a kind of catalog, a store, and the fields of both. */
export function WarehouseForm({
  warehouse,
  onClose,
}: {
  warehouse: Warehouse | null;
  onClose: () => void;
}): ReactNode {
  const kinds = useQuery(kindsQuery(useLocale()));
  const { adminWarehouses, ui } = useMessages();
  if (kinds.data !== undefined) return <Form kinds={kinds.data} warehouse={warehouse} onClose={onClose} />;
  return (
    <Dialog
      title={adminWarehouses.register}
      open
      onClose={onClose}
      wide
      actions={<Button onClick={onClose}>{ui.cancel}</Button>}
    >
      <Answer query={kinds}>{() => null}</Answer>
    </Dialog>
  );
}

function Form({
  kinds,
  warehouse,
  onClose,
}: {
  kinds: Kinds;
  warehouse: Warehouse | null;
  onClose: () => void;
}) {
  const { adminWarehouses, fields: names, ui } = useMessages();
  const client = useQueryClient();
  const toast = useToast();
  const [draft, setDraft] = useState<Draft>(warehouse === null ? EMPTY : draftOf(kinds, warehouse));
  const forms = formsOf(kinds, draft);
  const target = targetOf(kinds, draft);
  const check = useMutation({
    mutationFn: () => checkTarget({ ...target, warehouse: warehouse?.name ?? null }),
  });
  const save = useMutation({
    mutationFn: () => {
      const body = { ...target, name: draft.name.trim(), description: draft.description.trim() };
      return warehouse === null ? registerWarehouse(body) : changeWarehouse(warehouse.name, body);
    },
    onSuccess: (saved) => {
      void client.invalidateQueries({ queryKey: warehouseKeys.all });
      toast(
        warehouse === null ? adminWarehouses.registered(saved.name) : adminWarehouses.changed(saved.name),
      );
      onClose();
    },
  });
  const failed = save.error ?? check.error;
  const result = useRef<HTMLDivElement>(null);
  // A long form hides below its end how the test went, or what is wrong with what was saved.
  useEffect(() => {
    if (check.data !== undefined || failed !== null) result.current?.scrollIntoView({ block: "nearest" });
  }, [check.data, failed]);
  const change = (part: Partial<Draft>) => {
    check.reset();
    setDraft({ ...draft, ...part });
  };
  const options = (given: readonly KindForm[]) =>
    given.map(
      (form) => [form.name, form.tested ? form.label : adminWarehouses.untested(form.label)] as const,
    );
  return (
    <Dialog
      title={warehouse === null ? adminWarehouses.register : adminWarehouses.changeOf(warehouse.name)}
      open
      onClose={onClose}
      wide
      actions={
        <>
          <Button onClick={onClose}>{ui.cancel}</Button>
          <Button disabled={target.location === "" || check.isPending} onClick={() => check.mutate()}>
            {adminWarehouses.test}
          </Button>
          <Button
            look="primary"
            disabled={!isComplete(kinds, draft) || save.isPending}
            onClick={() => save.mutate()}
          >
            {warehouse === null ? adminWarehouses.register : adminWarehouses.save}
          </Button>
        </>
      }
    >
      <div className={styles["form"]}>
        <TextField
          label={names.name}
          hint={adminWarehouses.nameHint}
          value={draft.name}
          error={fieldError(failed, "name")}
          onChange={(event) => change({ name: event.target.value })}
        />
        <TextField
          label={names.description}
          value={draft.description}
          onChange={(event) => change({ description: event.target.value })}
        />
        <SelectField
          label={adminWarehouses.catalog}
          value={draft.catalog}
          options={options(kinds.catalogs)}
          onChange={(catalog) => change({ catalog })}
        />
        <SelectField
          label={adminWarehouses.store}
          value={forms.store.name}
          options={options(kinds.stores.filter((form) => forms.catalog.stores.includes(form.name)))}
          onChange={(store) => change({ store })}
        />
        {[forms.catalog, forms.store].map((form) => (
          <Note key={form.name} form={form} />
        ))}
        {fieldsOf(forms).map((field) => (
          <Input
            key={field.key}
            field={field}
            draft={draft}
            error={fieldError(failed, field.key === LOCATION ? "location" : field.key)}
            onChange={(value) => change({ values: { ...draft.values, [field.key]: value } })}
          />
        ))}
      </div>
      <details className={styles["more"]} open={draft.more !== "" || undefined}>
        <summary>{adminWarehouses.more}</summary>
        <CodeField
          label={adminWarehouses.options}
          hint={adminWarehouses.optionsHint}
          rows={2}
          value={draft.more}
          error={fieldError(failed, "options")}
          onChange={(event) => change({ more: event.target.value })}
        />
      </details>
      <div aria-live="polite" ref={result} className={styles["result"]}>
        {check.isPending && <p className="muted">{adminWarehouses.testing}</p>}
        {check.data !== undefined && <Steps check={check.data} />}
        {failed !== null && <Failed error={failed} />}
      </div>
    </Dialog>
  );
}

function Note({ form }: { form: KindForm }) {
  const { adminWarehouses } = useMessages();
  if (form.note === null && form.tested) return null;
  return (
    <p className={styles["note"]}>
      {!form.tested && (
        <Badge tone="warn" glyph="!">
          {form.supported ? adminWarehouses.notTested : adminWarehouses.notSupported}
        </Badge>
      )}{" "}
      {form.note}
    </p>
  );
}

function Input({
  field,
  draft,
  error,
  onChange,
}: {
  field: KindField;
  draft: Draft;
  error: string | null;
  onChange: (value: string | null) => void;
}) {
  const { adminWarehouses } = useMessages();
  const hint = field.hint ?? undefined;
  if (field.choices.length > 0) {
    return (
      <SelectField
        label={field.label}
        hint={hint}
        error={error}
        value={valueOf(draft, field)}
        options={field.choices.map(
          (choice) => [choice, choice === "" ? adminWarehouses.byItself : choice] as const,
        )}
        onChange={onChange}
      />
    );
  }
  const kept = field.secret && draft.values[field.key] === null;
  return (
    <TextField
      label={field.label}
      hint={kept ? adminWarehouses.kept : field.secret ? adminWarehouses.secretHint : hint}
      error={error}
      type={field.secret ? "password" : "text"}
      autoComplete={field.secret ? "new-password" : "off"}
      spellCheck={false}
      required={field.required && !kept}
      placeholder={kept ? adminWarehouses.keptPlaceholder : field.example}
      value={valueOf(draft, field)}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
