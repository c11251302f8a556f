import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { fieldError } from "../../api/problem";
import {
  checkTarget,
  checkWarehouse,
  registerWarehouse,
  removeWarehouse,
  warehouseKeys,
  warehousesQuery,
  type Check,
  type Warehouse,
} from "../../api/warehouses";
import { Answer, Failed } from "../../app/Answer";
import { WarehouseStateBadge } from "../../app/cells";
import { useColumnMakers } from "../../app/columns";
import { Page } from "../../app/Page";
import { useFormat, useMessages } from "../../i18n";
import { Badge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { DataGrid } from "../../ui/DataGrid";
import { Dialog } from "../../ui/Dialog";
import { CodeField, TextField } from "../../ui/Field";
import { Empty } from "../../ui/States";
import { useToast } from "../../ui/Toast";
import styles from "./AdminWarehouses.module.css";
import { parseOptions } from "../../app/parseOptions";

/** Register, test and remove warehouses. Removing forgets the address; the warehouse itself is not touched. */
export function AdminWarehousesPage(): ReactNode {
  const { adminWarehouses, admin } = useMessages();
  const warehouses = useQuery(warehousesQuery);
  const [adding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<Warehouse | null>(null);
  return (
    <Page
      title={admin.warehouses}
      actions={
        <Button look="primary" icon="plus" onClick={() => setAdding(true)}>
          {adminWarehouses.register}
        </Button>
      }
    >
      <Answer query={warehouses}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title={adminWarehouses.none}>{adminWarehouses.noneDetail}</Empty>
          ) : (
            <List items={items} onRemove={setRemoving} />
          )
        }
      </Answer>
      <Register open={adding} onClose={() => setAdding(false)} />
      {removing !== null && <Remove warehouse={removing} onClose={() => setRemoving(null)} />}
    </Page>
  );
}

function List({
  items,
  onRemove,
}: {
  items: readonly Warehouse[];
  onRemove: (warehouse: Warehouse) => void;
}) {
  const { adminWarehouses, fields, warehouseStates, admin } = useMessages();
  const make = useColumnMakers();
  const client = useQueryClient();
  const check = useMutation({
    mutationFn: checkWarehouse,
    onSettled: () => client.invalidateQueries({ queryKey: warehouseKeys.all }),
  });
  const columns = [
    make.text<Warehouse>("name", fields.name, (w) => w.name),
    make.text<Warehouse>("state", fields.state, (w) => warehouseStates[w.state], {
      width: 120,
      cell: (w) => <WarehouseStateBadge state={w.state} />,
    }),
    make.identifier<Warehouse>("location", fields.location, (w) => w.location),
    make.count<Warehouse>("tables", fields.tables, (w) => w.tables),
    make.text<Warehouse>("credentials", adminWarehouses.credentialKeys, (w) => w.credential_keys.join(", ")),
    make.time<Warehouse>("checked_at", adminWarehouses.checked, (w) => w.checked_at),
    make.text<Warehouse>("actions", adminWarehouses.actions, () => "", {
      width: 210,
      grow: 0,
      cell: (w) => (
        <>
          <Button look="quiet" disabled={check.isPending} onClick={() => check.mutate(w.name)}>
            {adminWarehouses.test}
          </Button>
          <Button look="quiet" onClick={() => onRemove(w)}>
            {adminWarehouses.remove}
          </Button>
        </>
      ),
    }),
  ];
  return (
    <>
      <DataGrid label={admin.warehouses} columns={columns} rows={items} rowKey={(w) => w.name} />
      {check.error !== null && <Failed error={check.error} />}
      {check.data !== undefined && (
        <Card title={adminWarehouses.resultOf(check.variables ?? "")}>
          <Steps check={check.data} />
        </Card>
      )}
    </>
  );
}

function Steps({ check }: { check: Check }) {
  const { adminWarehouses } = useMessages();
  const format = useFormat();
  return (
    <ol className={styles["steps"]}>
      {check.steps.map((step) => (
        <li key={step.name}>
          <Badge tone={step.ok ? "ok" : "danger"} glyph={step.ok ? "✓" : "✕"}>
            {adminWarehouses.steps[step.name]}
          </Badge>
          <span>{step.detail}</span>
          <span className="muted">{format.duration(step.millis)}</span>
        </li>
      ))}
    </ol>
  );
}

function Register({ open, onClose }: { open: boolean; onClose: () => void }) {
  const { adminWarehouses, fields, ui } = useMessages();
  const client = useQueryClient();
  const toast = useToast();
  const [draft, setDraft] = useState({
    name: "",
    location: "",
    options: "",
    credentials: "",
    description: "",
  });
  const target = {
    location: draft.location.trim(),
    options: parseOptions(draft.options),
    credentials: parseOptions(draft.credentials),
  };
  const check = useMutation({ mutationFn: () => checkTarget(target) });
  const add = useMutation({
    mutationFn: () =>
      registerWarehouse({ ...target, name: draft.name.trim(), description: draft.description.trim() }),
    onSuccess: (warehouse) => {
      void client.invalidateQueries({ queryKey: warehouseKeys.all });
      toast(adminWarehouses.registered(warehouse.name));
      onClose();
    },
  });
  const text = (field: keyof typeof draft) => ({
    value: draft[field],
    error: fieldError(add.error ?? check.error, field),
    onChange: (event: { target: { value: string } }) => setDraft({ ...draft, [field]: event.target.value }),
  });
  const shown = add.error ?? check.error;
  return (
    <Dialog
      title={adminWarehouses.register}
      open={open}
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
            disabled={draft.name.trim() === "" || target.location === "" || add.isPending}
            onClick={() => add.mutate()}
          >
            {adminWarehouses.register}
          </Button>
        </>
      }
    >
      <TextField label={fields.name} hint={adminWarehouses.nameHint} {...text("name")} />
      <TextField label={fields.location} hint={adminWarehouses.locationHint} {...text("location")} />
      <CodeField
        label={adminWarehouses.options}
        hint={adminWarehouses.optionsHint}
        rows={2}
        {...text("options")}
      />
      <CodeField
        label={adminWarehouses.credentials}
        hint={adminWarehouses.credentialsHint}
        rows={2}
        {...text("credentials")}
      />
      <TextField label={fields.description} {...text("description")} />
      {check.data !== undefined && <Steps check={check.data} />}
      {shown !== null && <Failed error={shown} />}
    </Dialog>
  );
}

function Remove({ warehouse, onClose }: { warehouse: Warehouse; onClose: () => void }) {
  const { adminWarehouses, ui } = useMessages();
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: () => removeWarehouse(warehouse.name),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: warehouseKeys.all });
      onClose();
    },
  });
  return (
    <Dialog
      title={adminWarehouses.removeOf(warehouse.name)}
      open
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{ui.cancel}</Button>
          <Button look="danger" disabled={remove.isPending} onClick={() => remove.mutate()}>
            {adminWarehouses.remove}
          </Button>
        </>
      }
    >
      <p>{adminWarehouses.removeDetail}</p>
      {remove.error !== null && <Failed error={remove.error} />}
    </Dialog>
  );
}
