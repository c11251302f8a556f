import type { ReactNode } from "react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { meQuery } from "../../api/session";
import { warehousesQuery, type Warehouse } from "../../api/warehouses";
import { Answer } from "../../app/Answer";
import { Growth, WarehouseStateBadge } from "../../app/cells";
import { useColumnMakers } from "../../app/columns";
import { FirstRun } from "../../app/FirstRun";
import { Page } from "../../app/Page";
import { useMessages } from "../../i18n";
import { buttonClass } from "../../ui/Button";
import { DataGrid } from "../../ui/DataGrid";

/** All warehouses that the person may see. */
export function WarehousesPage(): ReactNode {
  const { warehousesPage, fields, warehouseStates, home } = useMessages();
  const make = useColumnMakers();
  const warehouses = useQuery(warehousesQuery);
  const { data: me } = useQuery(meQuery);
  const manages = me?.permissions_anywhere.includes("warehouse:manage") ?? false;
  const columns = [
    make.text<Warehouse>("name", fields.name, (w) => w.name, {
      cell: (w) => (
        <Link to="/w/$wh" params={{ wh: w.name }}>
          {w.name}
        </Link>
      ),
    }),
    make.text<Warehouse>("state", fields.state, (w) => warehouseStates[w.state], {
      width: 120,
      cell: (w) => <WarehouseStateBadge state={w.state} />,
    }),
    make.count<Warehouse>("databases", fields.databases, (w) => w.databases),
    make.count<Warehouse>("tables", fields.tables, (w) => w.tables),
    make.bytes<Warehouse>("bytes", fields.bytes, (w) => w.bytes),
    make.text<Warehouse>("growth", home.growthTitle, (w) => String(w.growth_bytes ?? ""), {
      width: 130,
      cell: (w) => <Growth warehouse={w} />,
    }),
    make.identifier<Warehouse>("location", fields.location, (w) => w.location),
    make.time<Warehouse>("checked_at", warehousesPage.checked, (w) => w.checked_at),
    make.text<Warehouse>("description", fields.description, (w) => w.error ?? w.description, {
      width: 200,
      grow: 2,
    }),
  ];
  return (
    <Page
      title={warehousesPage.title}
      actions={
        manages && (
          <Link to="/admin/warehouses" className={buttonClass()}>
            {home.addWarehouse}
          </Link>
        )
      }
    >
      <Answer query={warehouses}>
        {({ items }) =>
          items.length === 0 ? (
            <FirstRun />
          ) : (
            <DataGrid label={warehousesPage.title} columns={columns} rows={items} rowKey={(w) => w.name} />
          )
        }
      </Answer>
    </Page>
  );
}
