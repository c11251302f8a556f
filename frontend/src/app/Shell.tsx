import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, Outlet, useLocation } from "@tanstack/react-router";
import { useEffect, useMemo, useState, useSyncExternalStore, type ReactNode } from "react";
import { csrfToken } from "../api/client";
import { hasEnded, jobsQuery } from "../api/jobs";
import { meQuery } from "../api/session";
import { useFormat, useMessages } from "../i18n";
import { setPreferences, usePreferences } from "../preferences";
import { IconButton } from "../ui/Button";
import { Icon } from "../ui/Icon";
import { Menu } from "../ui/Menu";
import { SearchPalette } from "./SearchPalette";
import { SessionGuard } from "./SessionGuard";
import styles from "./Shell.module.css";
import { ShortcutHelp } from "./ShortcutHelp";
import { useShortcuts } from "./shortcuts";
import { TableTree } from "./TableTree";
import { WarmingLine } from "./WarmingLine";

/** What stands around every page: top bar, tree, search, and the keys that work everywhere. */
export function Shell(): ReactNode {
  const { shell } = useMessages();
  const tree = useTree();
  const [searching, setSearching] = useState(false);
  const [helping, setHelping] = useState(false);
  useSearchKey(() => setSearching(true));
  useShortcuts(
    useMemo(
      () => ({
        "?": () => setHelping(true),
        "/": () => document.querySelector<HTMLInputElement>("[data-page-filter]")?.focus(),
        c: () => void navigator.clipboard.writeText(location.href),
      }),
      [],
    ),
  );
  return (
    <div className={styles["shell"]}>
      <a className={styles["skip"]} href="#main">
        {shell.skip}
      </a>
      <TopBar tree={tree} onSearch={() => setSearching(true)} onHelp={() => setHelping(true)} />
      {tree.open && <TableTree />}
      <main id="main" className={styles["main"]} tabIndex={-1}>
        <WarmingLine />
        <Outlet />
      </main>
      <SearchPalette open={searching} onClose={() => setSearching(false)} onHelp={() => setHelping(true)} />
      <ShortcutHelp open={helping} onClose={() => setHelping(false)} />
      <SessionGuard />
    </div>
  );
}

const WIDE = matchMedia("(min-width: 1280px)");

interface Tree {
  readonly open: boolean;
  readonly toggle: () => void;
}

/** Beside the page where there is room, as the person likes it; else over it, until something is chosen. */
function useTree(): Tree {
  const { treeOpen } = usePreferences();
  const wide = useSyncExternalStore(onWidth, () => WIDE.matches);
  const { pathname } = useLocation();
  const [shownAt, setShownAt] = useState<string | null>(null);
  if (wide) return { open: treeOpen, toggle: () => setPreferences({ treeOpen: !treeOpen }) };
  const open = shownAt === pathname;
  return { open, toggle: () => setShownAt(open ? null : pathname) };
}

function onWidth(listener: () => void): () => void {
  WIDE.addEventListener("change", listener);
  return () => WIDE.removeEventListener("change", listener);
}

function useSearchKey(open: () => void): void {
  useEffect(() => {
    const listener = (event: KeyboardEvent) => {
      if (event.key !== "k" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      open();
    };
    document.addEventListener("keydown", listener);
    return () => document.removeEventListener("keydown", listener);
  }, [open]);
}

interface TopBarProps {
  readonly tree: Tree;
  readonly onSearch: () => void;
  readonly onHelp: () => void;
}

function TopBar({ tree, onSearch, onHelp }: TopBarProps) {
  const { shell } = useMessages();
  return (
    <header className={styles["top"]}>
      <IconButton icon="sidebar" label={tree.open ? shell.hideTree : shell.showTree} onClick={tree.toggle} />
      <Link to="/" className={styles["brand"]} aria-label="Lakescope">
        <Mark />
        <span>Lakescope</span>
      </Link>
      <button type="button" className={styles["search"]} onClick={onSearch}>
        <Icon name="search" />
        <span>{shell.searchHint}</span>
        <kbd>Ctrl K</kbd>
      </button>
      <div className={styles["right"]}>
        <RunningJobs />
        <LanguageMenu />
        <ThemeMenu />
        <AccountMenu onHelp={onHelp} />
      </div>
    </header>
  );
}

function Mark() {
  return (
    <svg width="24" height="24" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="#12757f" />
      <path d="M6 12h20M6 17h13M6 22h8" stroke="#fff" strokeWidth="2.6" strokeLinecap="round" />
      <circle cx="22" cy="20" r="4" fill="none" stroke="#fff" strokeWidth="2.2" />
      <path d="m25 23 3 3" stroke="#fff" strokeWidth="2.4" strokeLinecap="round" />
    </svg>
  );
}

function RunningJobs() {
  const { shell } = useMessages();
  const format = useFormat();
  const { data } = useInfiniteQuery(jobsQuery({ limit: 20 }));
  const running = data?.pages[0]?.items.filter((job) => !hasEnded(job)).length ?? 0;
  return (
    <Link to="/jobs" className={styles["jobs"]}>
      <Icon name="jobs" />
      {running > 0 ? shell.runningJobs(running, format.count(running)) : shell.jobs}
    </Link>
  );
}

function LanguageMenu() {
  const { shell } = useMessages();
  const { language } = usePreferences();
  return (
    <Menu
      label={shell.language}
      look="quiet"
      trigger="中/EN"
      single
      selected={new Set([language])}
      items={[
        { id: "en", label: "English" },
        { id: "zh-CN", label: "简体中文" },
        { id: "system", label: shell.asBrowser },
      ]}
      onSelect={(ids) => {
        const [id] = ids;
        if (id === "en" || id === "zh-CN" || id === "system") setPreferences({ language: id });
      }}
    />
  );
}

function ThemeMenu() {
  const { shell } = useMessages();
  const { theme } = usePreferences();
  const icons = { light: "sun", dark: "moon", system: "system" } as const;
  return (
    <Menu
      label={shell.theme}
      look="quiet"
      trigger={<Icon name={icons[theme]} />}
      single
      selected={new Set([theme])}
      items={[
        { id: "light", label: shell.light },
        { id: "dark", label: shell.dark },
        { id: "system", label: shell.asSystem },
      ]}
      onSelect={(ids) => {
        const [id] = ids;
        if (id === "light" || id === "dark" || id === "system") setPreferences({ theme: id });
      }}
    />
  );
}

function AccountMenu({ onHelp }: { onHelp: () => void }) {
  const { shell } = useMessages();
  const { data: me } = useQuery(meQuery);
  return (
    <>
      <IconButton icon="info" label={shell.shortcuts} onClick={onHelp} />
      <Link to="/account" className={styles["jobs"]}>
        <Icon name="user" />
        {me?.display_name || me?.username || shell.account}
      </Link>
      <form method="post" action="/sign-out">
        <input type="hidden" name="csrfmiddlewaretoken" value={csrfToken()} />
        <button type="submit" className={styles["signout"]}>
          {shell.signOut}
        </button>
      </form>
    </>
  );
}
