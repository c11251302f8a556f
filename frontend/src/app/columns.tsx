import type { ReactNode } from "react";
import { useFormat } from "../i18n";
import { Bytes } from "../ui/Bytes";
import { CopyableId } from "../ui/CopyableId";
import { Count } from "../ui/Count";
import type { GridColumn } from "../ui/gridColumns";
import { Timestamp } from "../ui/Timestamp";

type Value<Row, V> = (row: Row) => V | null | undefined;

interface Options<Row> {
  readonly width?: number;
  readonly grow?: number;
  readonly sortable?: boolean;
  readonly align?: "start" | "end";
  /** Draws the cell; the text stays what is copied. */
  readonly cell?: (row: Row) => ReactNode;
}

/** Makers of the usual columns: one look for each kind of value in every grid. */
export function useColumnMakers() {
  const format = useFormat();
  return {
    text<Row>(
      id: string,
      header: string,
      value: Value<Row, string>,
      options: Options<Row> = {},
    ): GridColumn<Row> {
      return {
        id,
        header,
        width: 120,
        cell: (row) => value(row) ?? "–",
        text: (row) => value(row) ?? "",
        ...options,
      };
    },
    identifier<Row>(
      id: string,
      header: string,
      value: (row: Row) => string,
      options: Options<Row> = {},
    ): GridColumn<Row> {
      const cell = (row: Row) => <CopyableId value={value(row)} />;
      return { id, header, width: 270, grow: 2, cell, text: value, ...options };
    },
    count<Row>(
      id: string,
      header: string,
      value: Value<Row, number>,
      options: Options<Row> = {},
    ): GridColumn<Row> {
      const text = (row: Row) => String(value(row) ?? "");
      return {
        id,
        header,
        width: 90,
        align: "end",
        cell: (row) => <Count value={value(row)} />,
        text,
        ...options,
      };
    },
    signed<Row>(
      id: string,
      header: string,
      value: Value<Row, number>,
      options: Options<Row> = {},
    ): GridColumn<Row> {
      const text = (row: Row) => String(value(row) ?? "");
      return {
        id,
        header,
        width: 100,
        align: "end",
        cell: (row) => <Count value={value(row)} signed />,
        text,
        ...options,
      };
    },
    bytes<Row>(
      id: string,
      header: string,
      value: Value<Row, number>,
      options: Options<Row> = {},
    ): GridColumn<Row> {
      const text = (row: Row) => String(value(row) ?? "");
      return {
        id,
        header,
        width: 90,
        align: "end",
        cell: (row) => <Bytes value={value(row)} />,
        text,
        ...options,
      };
    },
    time<Row>(
      id: string,
      header: string,
      value: Value<Row, string>,
      { exact = false, ...options }: Options<Row> & { readonly exact?: boolean } = {},
    ): GridColumn<Row> {
      const cell = (row: Row) => <Timestamp value={value(row)} exact={exact} />;
      return { id, header, width: exact ? 150 : 130, cell, text: (row) => value(row) ?? "", ...options };
    },
    ratio<Row>(
      id: string,
      header: string,
      value: Value<Row, number>,
      options: Options<Row> = {},
    ): GridColumn<Row> {
      const shown = (row: Row) => {
        const number = value(row);
        return number === null || number === undefined ? "–" : format.ratio(number);
      };
      return {
        id,
        header,
        width: 90,
        align: "end",
        cell: shown,
        text: (row) => String(value(row) ?? ""),
        ...options,
      };
    },
  };
}
