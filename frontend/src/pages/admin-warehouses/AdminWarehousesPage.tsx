import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import {
  checkWarehouse,
  removeWarehouse,
  warehouseKeys,
  warehousesQuery,
  type Warehouse,
} from "../../api/warehouses";
import { Answer, Failed } from "../../app/Answer";
import { WarehouseStateBadge } from "../../app/cells";
import { useColumnMakers } from "../../app/columns";
import { Page } from "../../app/Page";
import { useMessages } from "../../i18n";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { DataGrid } from "../../ui/DataGrid";
import { Dialog } from "../../ui/Dialog";
import { Empty } from "../../ui/States";
import { Steps } from "./Steps";
import { WarehouseForm } from "./WarehouseForm";

/** Register, test, change and remove warehouses. Removing forgets the address; the warehouse itself is not touched. */
export function AdminWarehousesPage(): ReactNode {
  const { adminWarehouses, admin } = useMessages();
  const warehouses = useQuery(warehousesQuery);
  const [adding, setAdding] = useState(false);
  const [changing, setChanging] = useState<Warehouse | null>(null);
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
            <List items={items} onChange={setChanging} onRemove={setRemoving} />
          )
        }
      </Answer>
      {adding && <WarehouseForm warehouse={null} onClose={() => setAdding(false)} />}
      {changing !== null && <WarehouseForm warehouse={changing} onClose={() => setChanging(null)} />}
      {removing !== null && <Remove warehouse={removing} onClose={() => setRemoving(null)} />}
    </Page>
  );
}

function List({
  items,
  onChange,
  onRemove,
}: {
  items: readonly Warehouse[];
  onChange: (warehouse: Warehouse) => void;
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
    make.text<Warehouse>("actions", adminWarehouses.actions, () => "", {
      width: 235,
      grow: 0,
      cell: (w) => (
        <>
          <Button look="quiet" disabled={check.isPending} onClick={() => check.mutate(w.name)}>
            {adminWarehouses.test}
          </Button>
          <Button look="quiet" onClick={() => onChange(w)}>
            {adminWarehouses.change}
          </Button>
          <Button look="quiet" onClick={() => onRemove(w)}>
            {adminWarehouses.remove}
          </Button>
        </>
      ),
    }),
    make.text<Warehouse>("kind", adminWarehouses.catalog, (w) => w.kind ?? "–", { width: 150 }),
    make.identifier<Warehouse>("location", fields.location, (w) => w.location),
    make.count<Warehouse>("tables", fields.tables, (w) => w.tables),
    make.text<Warehouse>("credentials", adminWarehouses.credentialKeys, (w) => w.credential_keys.join(", ")),
    make.time<Warehouse>("checked_at", adminWarehouses.checked, (w) => w.checked_at),
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
