import type { ReactNode } from "react";
import { Answer } from "../../app/Answer";
import { usePages, type ListQuery } from "../../app/usePages";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { DataGrid, type GridColumn } from "../../ui/DataGrid";

interface ListCardProps<Item> {
  readonly title: string;
  readonly query: ListQuery<Item>;
  readonly columns: readonly GridColumn<Item>[];
  readonly rowKey: (item: Item) => string;
  readonly add: { readonly label: string; readonly onClick: () => void };
  readonly detail?: string;
  /** In place of a grid without rows. */
  readonly empty?: ReactNode;
  /** What went wrong, and dialogs. */
  readonly children?: ReactNode;
}

/** One of several lists of a page, with a button that adds to it; pages load as they come into view. */
export function ListCard<Item>(props: ListCardProps<Item>): ReactNode {
  const { title, add, detail, empty } = props;
  const { answer, rows, more, total, onEnd } = usePages(props.query);
  return (
    <Card
      title={title}
      side={
        <Button icon="plus" onClick={add.onClick}>
          {add.label}
        </Button>
      }
    >
      {detail !== undefined && <p className="muted">{detail}</p>}
      <Answer query={answer}>
        {() =>
          rows.length === 0 && empty !== undefined ? (
            empty
          ) : (
            <DataGrid
              label={title}
              columns={props.columns}
              rows={rows}
              rowKey={props.rowKey}
              total={total}
              more={more}
              onEnd={onEnd}
              height="36vh"
            />
          )
        }
      </Answer>
      {props.children}
    </Card>
  );
}
