import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { functionQuery } from "../../api/databaseObjects";
import { Answer } from "../../app/Answer";
import { Page } from "../../app/Page";
import { usePageParams } from "../../app/useSearch";
import { useMessages } from "../../i18n";
import { Badge } from "../../ui/Badge";
import { Card } from "../../ui/Card";
import { KeyValue } from "../../ui/KeyValue";
import { Empty } from "../../ui/States";
import { About, Code, Columns, Heading } from "./parts";

/** A function of a catalog: shown, never run. */
export function FunctionPage(): ReactNode {
  const { wh = "", db = "", table = "" } = usePageParams();
  const { viewPage } = useMessages();
  const found = useQuery(functionQuery(wh, db, table));
  return (
    <Page
      title={`${wh} / ${db} / ${table}`}
      heading={<Heading of={{ warehouse: wh, database: db, name: table }} />}
      actions={
        <Badge tone="info" glyph="ƒ">
          {viewPage.function}
        </Badge>
      }
    >
      <Answer query={found}>
        {(shown) => (
          <>
            <Columns label={viewPage.parameters} rows={shown.parameters} />
            <Columns label={viewPage.returns} rows={shown.returns} />
            {shown.definitions.length === 0 && (
              <Empty title={viewPage.noDefinitions}>{viewPage.noDefinitionsDetail}</Empty>
            )}
            {shown.definitions.map((definition) => (
              <Card key={definition.engine} title={viewPage.engine(definition.engine)}>
                <KeyValue
                  items={[
                    definition.language !== null && [viewPage.language, definition.language],
                    definition.class_name !== null && [
                      viewPage.function,
                      `${definition.class_name}.${definition.function_name ?? ""}`,
                    ],
                    definition.resources.length > 0 && [viewPage.resources, definition.resources.join(", ")],
                  ]}
                />
                {definition.definition !== null && (
                  <Code label={viewPage.engine(definition.engine)} text={definition.definition} />
                )}
              </Card>
            ))}
            <About
              of={shown}
              more={[[viewPage.deterministic, shown.deterministic ? viewPage.yes : viewPage.no]]}
            />
          </>
        )}
      </Answer>
    </Page>
  );
}
