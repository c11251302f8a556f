import type { ReactNode } from "react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { databasesQuery, warehousesQuery, type Database, type Warehouse } from "../../api/warehouses";
import { Answer } from "../../app/Answer";
import { WarehouseSize, WarehouseStateBadge } from "../../app/cells";
import { useColumnMakers } from "../../app/columns";
import { Page } from "../../app/Page";
import { useMessages } from "../../i18n";
import { CopyableId } from "../../ui/CopyableId";
import { DataGrid } from "../../ui/DataGrid";
import { usePageParams } from "../../app/useSearch";
import { Empty } from "../../ui/States";
import styles from "./Warehouses.module.css";

/** Where the warehouse is, and how it stands. */
function About({ warehouse }: { warehouse: Warehouse }) {
  return (
    <div className={styles["about"]}>
      <WarehouseStateBadge state={warehouse.state} />
      <WarehouseSize warehouse={warehouse} />
      <CopyableId value={warehouse.location} most={90} />
      <span className="muted">{warehouse.error ?? warehouse.description}</span>
    </div>
  );
}

/** The databases of a warehouse. */
export function WarehousePage(): ReactNode {
  const { warehousesPage, fields, system } = useMessages();
  const { wh = "" } = usePageParams();
  const databases = useQuery(databasesQuery(wh));
  const warehouse = useQuery(warehousesQuery).data?.items.find((known) => known.name === wh);
  const make = useColumnMakers();
  const columns = [
    make.text<Database>("name", fields.name, (d) => d.name, {
      grow: 2,
      cell: (d) => (
        <Link to="/w/$wh/$db" params={{ wh, db: d.name }}>
          {d.name}
        </Link>
      ),
    }),
    make.count<Database>("tables", fields.tables, (d) => d.tables),
    make.count<Database>("rows", fields.rows, (d) => d.rows),
    make.bytes<Database>("bytes", fields.bytes, (d) => d.bytes),
    make.count<Database>("files", fields.files, (d) => d.files),
    make.time<Database>("last_commit_at", fields.lastCommit, (d) => d.last_commit_at),
  ];
  return (
    <Page title={wh}>
      {warehouse && <About warehouse={warehouse} />}
      {warehouse?.permissions.includes("meta:read") && (
        <div>
          <Link to="/w/$wh/sys" params={{ wh }}>
            {system.ofWarehouse(wh)} ›
          </Link>
        </div>
      )}
      <Answer query={databases}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title={warehousesPage.noDatabases}>{warehousesPage.noDatabasesDetail}</Empty>
          ) : (
            <DataGrid label={fields.databases} columns={columns} rows={items} rowKey={(d) => d.name} />
          )
        }
      </Answer>
    </Page>
  );
}
