import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useDeferredValue, useEffect, useMemo, useState, type KeyboardEvent } from "react";
import { objectQuery, type ObjectPlace, type ObjectSearch } from "../api/objects";
import { tablesQuery } from "../api/warehouses";
import { useFormat, useMessages } from "../i18n";
import { preferences } from "../preferences";
import { Dialog } from "../ui/Dialog";
import { Icon, type IconName } from "../ui/Icon";
import { namesFile, targetOf } from "./objectHits";
import { usePageParams } from "./useSearch";
import styles from "./Shell.module.css";

interface Hit {
  readonly id: string;
  readonly icon: IconName;
  readonly text: string;
  readonly note: string;
  readonly go: () => void;
}

interface PaletteProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly onHelp: () => void;
}

/**
 * Search over everything: tables by name, a pasted file name or path, `#42` a snapshot of the open table,
 * `job:` a job, `>` commands.
 */
export function SearchPalette({ open, onClose, onHelp }: PaletteProps) {
  const { shell } = useMessages();
  return (
    <Dialog title={shell.search} open={open} onClose={onClose} wide bare>
      <Palette onClose={onClose} onHelp={onHelp} />
    </Dialog>
  );
}

function Palette({ onClose, onHelp }: Omit<PaletteProps, "open">) {
  const { shell } = useMessages();
  const [text, setText] = useState("");
  const [at, setAt] = useState<string | null>(null); // the hit that was gone to, wherever an answer moves it
  const wanted = text.trim();
  const isFile = namesFile(wanted);
  const named = useNamed(isFile ? "" : wanted, onHelp);
  const objects = useObjects(isFile ? wanted : "");
  const { hits, note, ready } = isFile ? objects : named;
  const [entered, setEntered] = useState<string | null>(null); // the text whose first hit is waited for
  const chosen = Math.max(
    0,
    hits.findIndex((hit) => hit.id === at),
  );
  const goTo = (index: number) => setAt(hits[index]?.id ?? null);
  const run = (hit: Hit | undefined) => {
    if (hit === undefined) return;
    onClose();
    hit.go();
  };
  const awaited = entered === text && ready ? hits[chosen] : undefined;
  useEffect(() => {
    if (awaited === undefined) return;
    onClose();
    awaited.go();
  }, [awaited, onClose]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown") goTo(Math.min(hits.length - 1, chosen + 1));
    else if (event.key === "ArrowUp") goTo(Math.max(0, chosen - 1));
    else if (event.key === "Enter" && ready) run(hits[chosen]);
    else if (event.key === "Enter") setEntered(text);
    else return;
    event.preventDefault();
  };
  return (
    <div className={styles["palette"]}>
      <input
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- a search that was just asked for
        autoFocus
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-hits"
        aria-activedescendant={hits[chosen] ? `hit-${hits[chosen].id}` : undefined}
        aria-label={shell.search}
        placeholder={shell.searchHint}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setEntered(null);
          setAt(null);
        }}
        onKeyDown={onKeyDown}
      />
      <div id="palette-hits" role="listbox" aria-label={shell.results} className={styles["hits"]}>
        {hits.map((hit, index) => (
          <div
            key={hit.id}
            id={`hit-${hit.id}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            className={styles["hit"]}
            onPointerMove={() => setAt(hit.id)}
            onClick={() => run(hit)}
          >
            <Icon name={hit.icon} />
            <span>{hit.text}</span>
            <em>{hit.note}</em>
          </div>
        ))}
        {hits.length === 0 && (
          <p role="status" className={`${styles["hit"] ?? ""} muted`}>
            {note}
          </p>
        )}
      </div>
    </div>
  );
}

interface Found {
  readonly hits: readonly Hit[];
  readonly note: string; // said where there are none
  readonly ready: boolean; // the hits are those of the whole text, not of a letter less
}

/** The one place of a pasted file name, or why it is nowhere. */
function useObjects(text: string): Found {
  const { palette, viz } = useMessages();
  const format = useFormat();
  const navigate = useNavigate();
  const { wh, db, table } = usePageParams();
  const open =
    wh === undefined || db === undefined || table === undefined
      ? null
      : { warehouse: wh, database: db, table };
  const asked = useDeferredValue(text);
  const { data, error } = useQuery({ ...objectQuery(asked, open), enabled: asked !== "" });
  if (error !== null) return { hits: [], note: error.message, ready: true };
  if (data === undefined || asked !== text) return { hits: [], note: palette.searching, ready: false };
  const { tables, of, unreadable } = data.searched;
  const why = palette.verdicts[data.verdict](format.count(tables), format.count(of));
  return {
    hits: data.items.map((place) => ({
      id: "object",
      icon: "link",
      text: `${palette.roles[place.role]} · ${place.database}.${place.table}`,
      note: [place.warehouse, shownSnapshot(place)].filter(Boolean).join(" · "),
      go: () => void navigate(addressOf(data.kind, place)),
    })),
    note: unreadable === 0 ? why : `${why} ${palette.unreadable(format.count(unreadable))}`,
    ready: true,
  };

  function shownSnapshot(place: ObjectPlace): string {
    if (place.tag !== null) return `${viz.tag} ${place.tag}`;
    return place.snapshot === null ? "" : `#${place.snapshot.split("~")[0] ?? ""}`;
  }
}

/** The address of the page that shows an object. */
function addressOf(kind: ObjectSearch["kind"], place: ObjectPlace) {
  const target = targetOf(kind, place);
  const params = { wh: place.warehouse, db: place.database, table: place.table };
  const { search } = target;
  switch (target.page) {
    case "files":
      return { to: "/w/$wh/$db/$table/files", params, search } as const;
    case "overview":
      return { to: "/w/$wh/$db/$table/overview", params, search } as const;
    case "schema":
      return {
        to: "/w/$wh/$db/$table/schemas/$schema",
        params: { ...params, schema: target.schema },
        search,
      } as const;
  }
  const at = { ...params, snapshot: target.snapshot };
  switch (target.page) {
    case "snapshot":
      return { to: "/w/$wh/$db/$table/snapshots/$snapshot", params: at, search } as const;
    case "changes":
      return { to: "/w/$wh/$db/$table/snapshots/$snapshot/changes", params: at, search } as const;
    case "manifests":
      return { to: "/w/$wh/$db/$table/snapshots/$snapshot/manifests", params: at, search } as const;
  }
}

function useNamed(text: string, onHelp: () => void): Found {
  const { shell, tabs, admin, palette, tableTypes } = useMessages();
  const navigate = useNavigate();
  const { wh, db, table } = usePageParams();
  const wanted = /^[#>]|^job:/.test(text) ? "" : text;
  const asked = useDeferredValue(wanted);
  const { data, error } = useInfiniteQuery({
    ...tablesQuery({ q: asked, sort: "fit,name", limit: 12 }),
    enabled: asked !== "",
  });
  const ready = wanted === "" || (asked === wanted && (data !== undefined || error !== null));
  const hits = useMemo((): readonly Hit[] => {
    const here = wh !== undefined && db !== undefined && table !== undefined ? { wh, db, table } : null;
    const commands: [string, IconName, string, () => void][] = [
      ["home", "table", shell.home, () => void navigate({ to: "/" })],
      ["warehouses", "warehouse", shell.warehouses, () => void navigate({ to: "/w" })],
      ["jobs", "jobs", shell.jobs, () => void navigate({ to: "/jobs" })],
      ["account", "user", shell.account, () => void navigate({ to: "/account" })],
      ["access", "lock", admin.access, () => void navigate({ to: "/admin/access" })],
      ["tokens", "lock", admin.tokens, () => void navigate({ to: "/admin/tokens" })],
      ["audit", "lock", admin.audit, () => void navigate({ to: "/admin/audit" })],
      ["help", "info", shell.shortcuts, onHelp],
    ];
    const commandHits = commands.map(([id, icon, label, go]): Hit => ({
      id,
      icon,
      text: label,
      note: shell.command,
      go,
    }));
    const openTable = (address: string, type: string | null = null): Hit => {
      const [warehouse = "", database = "", name = ""] = address.split("/").map(decodeURIComponent);
      return {
        id: address,
        icon: "table",
        text: `${database}.${name}`,
        note: type === null || type === "table" ? warehouse : `${tableTypes(type)} · ${warehouse}`,
        go: () =>
          void navigate({
            to: type === "view" ? "/w/$wh/$db/$table/view" : "/w/$wh/$db/$table/overview",
            params: { wh: warehouse, db: database, table: name },
          }),
      };
    };
    if (text.startsWith("#") && here !== null && text.length > 1) {
      const go = () =>
        void navigate({
          to: "/w/$wh/$db/$table/snapshots/$snapshot",
          params: { ...here, snapshot: text.slice(1) },
        });
      return [
        {
          id: "snapshot",
          icon: "table",
          text: `${tabs.snapshot} ${text}`,
          note: `${here.db}.${here.table}`,
          go,
        },
      ];
    }
    if (text.startsWith("job:") && text.length > 4) {
      const job = text.slice(4).trim();
      return [
        {
          id: "job",
          icon: "jobs",
          text: job,
          note: shell.job,
          go: () => void navigate({ to: "/jobs/$job", params: { job } }),
        },
      ];
    }
    if (text.startsWith(">")) {
      const wanted = text.slice(1).trim().toLowerCase();
      return commandHits.filter((hit) => hit.text.toLowerCase().includes(wanted));
    }
    if (text === "")
      return [
        ...preferences()
          .recent.slice(0, 6)
          .map((address) => openTable(address)),
        ...commandHits,
      ];
    const found = data?.pages[0]?.items ?? [];
    return found.map((row) =>
      openTable([row.warehouse, row.database, row.name].map(encodeURIComponent).join("/"), row.type),
    );
  }, [text, data, navigate, wh, db, table, shell, tabs, admin, tableTypes, onHelp]);
  return { hits, note: ready ? (error?.message ?? shell.nothingFound) : palette.searching, ready };
}
