import { lazy, Suspense, useState, type ReactNode } from "react";
import { Page } from "../../app/Page";
import { Badge, type Tone } from "../../ui/Badge";
import { Button, IconButton } from "../../ui/Button";
import { Bytes, BytesDelta } from "../../ui/Bytes";
import { Card, Cards } from "../../ui/Card";
import { Combobox } from "../../ui/Combobox";
import { ConfirmByName } from "../../ui/ConfirmByName";
import { CopyableId } from "../../ui/CopyableId";
import { Count } from "../../ui/Count";
import { Dialog } from "../../ui/Dialog";
import { DiffView } from "../../ui/DiffView";
import { Drawer } from "../../ui/Drawer";
import { EventList } from "../../ui/EventList";
import { Checkbox, CodeField, Segments, SelectField, TextField } from "../../ui/Field";
import { FilterBar } from "../../ui/FilterBar";
import { Icon, ICON_NAMES } from "../../ui/Icon";
import { JsonView } from "../../ui/JsonView";
import { KeyValue } from "../../ui/KeyValue";
import { LogViewer } from "../../ui/LogViewer";
import { Menu } from "../../ui/Menu";
import { PlanSummary } from "../../ui/PlanSummary";
import { Progress } from "../../ui/Progress";
import { Empty, ErrorState, Forbidden, Gone, Loading, Notice } from "../../ui/States";
import { Tabs } from "../../ui/Tabs";
import { Timestamp } from "../../ui/Timestamp";
import { useToast } from "../../ui/Toast";
import { ValueTree } from "../../ui/ValueTree";
import styles from "./Gallery.module.css";
import { Grids } from "./Grids";
import { DIFF_ROWS, EVENTS, LOG_TEXT } from "./samples";

const Pictures = lazy(async () => ({ default: (await import("./Pictures")).Pictures }));

/** Every component with its states: what visual and accessibility tests visit. Not linked from the product. */
export function GalleryPage(): ReactNode {
  return (
    <Page title="Component gallery">
      <Section title="Values">
        <KeyValue
          items={[
            ["Bytes", <Bytes key="v" value={341_902_128_640} />],
            ["BytesDelta", <BytesDelta key="v" value={-2_254_857_830} />],
            ["Count", <Count key="v" value={14_208} />],
            ["Count compact", <Count key="v" value={1_204_331_000} compact />],
            ["Count unknown", <Count key="v" value={null} />],
            ["Timestamp", <Timestamp key="v" value="2026-01-20T10:31:07.123Z" />],
            [
              "CopyableId",
              <CopyableId key="v" value="data-6f1c0b1e-52a1-4f0e-9d5e-3f1d7b7f1c11-0.parquet" />,
            ],
          ]}
        />
      </Section>
      <Section title="Badge">
        <Badges />
      </Section>
      <Section title="Icon">
        <Icons />
      </Section>
      <Section title="Nested value">
        <ValueTree
          label="Nested value"
          value={{ address: { city: "Ghent", zip: "9000" }, tags: ["a", "b"] }}
        />
      </Section>
      <Section title="Button, menu, combobox">
        <Buttons />
      </Section>
      <Section title="Fields">
        <Fields />
      </Section>
      <Section title="States">
        <Loading rows={3} />
        <Empty title="No snapshots yet" action={<Button>Write rows</Button>}>
          The table has been created, but nothing was written to it.
        </Empty>
        <ErrorState
          failure={{
            title: "The warehouse does not answer",
            detail: "Connecting took longer than 10 s.",
            code: "warehouse-unavailable",
            traceId: "4bf92f3577b34da6",
            asked: "GET /api/v1/warehouses/prod/databases",
          }}
          onRetry={() => undefined}
        />
        <Forbidden permission="data:read" detail="Rows need another permission." />
        <Gone detail="Snapshot 37 has expired.">
          <Button>Show the latest snapshot</Button>
        </Gone>
        {(["info", "warn", "danger", "ok"] as const).map((tone) => (
          <Notice key={tone} tone={tone}>
            A notice of tone {tone}.
          </Notice>
        ))}
      </Section>
      <Section title="Grids">
        <Grids />
      </Section>
      <Section title="Tabs, progress, events, JSON">
        <Tabs
          label="Example tabs"
          items={[
            { id: "a", label: "Events", content: <EventList items={EVENTS} /> },
            { id: "b", label: "JSON", content: <JsonView label="JSON" value={{ version: 3, id: 42 }} /> },
          ]}
        />
        <Progress label="Known" share={0.62} />
        <Progress label="Unknown" share={null} />
      </Section>
      <Section title="Log">
        <LogViewer text={LOG_TEXT} live={false} name="sample.log" />
      </Section>
      <Section title="Diff">
        <DiffView
          label="Schema 3 to 7"
          fromTitle="schema 3"
          toTitle="schema 7"
          rows={DIFF_ROWS}
          onlyChanges
        />
      </Section>
      <Section title="Plan and confirmation">
        <PlanSummary
          blocks={[
            { title: "History removed", content: <KeyValue items={[["snapshots", "38 – 42"]]} /> },
            { title: "Data change", content: <KeyValue items={[["leaves", "31 files · 2.1 GiB"]]} /> },
          ]}
          blockers={["A job is running on this table."]}
          warnings={["Tag v2 will be deleted."]}
          undo="Undo: the guard branch is kept for 7 days."
        />
        <ConfirmByName name="prod.sales.orders" action="Roll back" busy={false} onConfirm={() => undefined} />
      </Section>
      <Section title="Overlays">
        <Overlays />
      </Section>
      <Suspense fallback={<Loading />}>
        <Pictures />
      </Suspense>
    </Page>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={styles["section"]} aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

const TONES: readonly [Tone, string][] = [
  ["neutral", "○"],
  ["ok", "●"],
  ["info", "◆"],
  ["warn", "⚠"],
  ["danger", "✕"],
  ["overwrite", "■"],
  ["analyze", "▲"],
  ["moved", "↕"],
];

function Icons() {
  return (
    <ul className={styles["icons"]}>
      {ICON_NAMES.map((name) => (
        <li key={name}>
          <Icon name={name} /> {name}
        </li>
      ))}
    </ul>
  );
}

function Badges() {
  return (
    <div className={styles["row"]}>
      {TONES.map(([tone, glyph]) => (
        <Badge key={tone} tone={tone} glyph={glyph}>
          {tone}
        </Badge>
      ))}
    </div>
  );
}

function Buttons() {
  const [value, setValue] = useState("");
  return (
    <div className={styles["row"]}>
      <Button>Normal</Button>
      <Button look="primary">Primary</Button>
      <Button look="danger">Roll back</Button>
      <Button look="quiet">Quiet</Button>
      <Button disabled>Disabled</Button>
      <IconButton icon="refresh" label="Refresh" />
      <Menu
        label="Actions"
        trigger="Actions ▾"
        items={[
          { id: "a", label: "Compact" },
          { id: "b", label: "Roll back", note: "needs table:destroy" },
        ]}
      />
      <Combobox
        label="Column"
        value={value}
        options={["order_id", "amount", "dt"]}
        onChange={setValue}
        placeholder="column"
        free
      />
    </div>
  );
}

function Fields() {
  const [segment, setSegment] = useState<"a" | "b">("a");
  const [checked, setChecked] = useState(true);
  const [values, setValues] = useState<Record<string, string>>({ level: "0", partition: "dt=2026-11-20" });
  return (
    <>
      <Cards>
        <TextField label="Name" hint="Letters and digits." defaultValue="prod" />
        <TextField label="Location" error="There is no such folder." defaultValue="/nowhere" />
        <SelectField label="Strategy" value="full" options={[["full", "Full"]]} onChange={() => undefined} />
        <CodeField label="Where" defaultValue="amount > 100" />
      </Cards>
      <div className={styles["row"]}>
        <Segments
          label="View"
          value={segment}
          options={[
            ["a", "Picture"],
            ["b", "Table"],
          ]}
          onChange={setSegment}
        />
        <Checkbox label="Keep a guard" checked={checked} onChange={setChecked} />
      </div>
      <FilterBar
        fields={[
          { id: "partition", label: "partition" },
          {
            id: "level",
            label: "level",
            options: [
              ["0", "L0"],
              ["5", "L5"],
            ],
          },
        ]}
        values={values}
        onChange={(id, value) => {
          const others = Object.fromEntries(Object.entries(values).filter(([key]) => key !== id));
          setValues(value === undefined ? others : { ...others, [id]: value });
        }}
      />
    </>
  );
}

function Overlays() {
  const toast = useToast();
  const [dialog, setDialog] = useState(false);
  const [drawer, setDrawer] = useState(false);
  return (
    <Card title="Dialog, drawer, toast">
      <div className={styles["row"]}>
        <Button onClick={() => setDialog(true)}>Open a dialog</Button>
        <Button onClick={() => setDrawer(true)}>Open a drawer</Button>
        <Button onClick={() => toast("Copied")}>Show a toast</Button>
      </div>
      <Dialog
        title="Remove prod"
        open={dialog}
        onClose={() => setDialog(false)}
        actions={<Button onClick={() => setDialog(false)}>Close</Button>}
      >
        <p>The console forgets the warehouse; its files are not touched.</p>
      </Dialog>
      {drawer && (
        <Drawer title="data-1.parquet" onClose={() => setDrawer(false)}>
          <KeyValue items={[["level", "L0"]]} />
        </Drawer>
      )}
    </Card>
  );
}
