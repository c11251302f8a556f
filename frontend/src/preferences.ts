import { useSyncExternalStore } from "react";

/** What a person chose for this browser. Everything that a colleague would want linked is in the URL instead. */
export interface Preferences {
  readonly theme: "light" | "dark" | "system";
  readonly language: "en" | "zh-CN" | "system";
  readonly zone: "local" | "utc";
  readonly density: "compact" | "regular";
  readonly shortcuts: boolean;
  readonly keys: Readonly<Record<string, string>>; // own keys in place of the usual ones: usual key -> own key
  readonly treeOpen: boolean;
  readonly treeWidth: number; // pixels
  readonly expanded: readonly string[]; // tree nodes, as "warehouse" or "warehouse/database"
  readonly recent: readonly string[]; // tables last opened, newest first, as paths
}

export const STORAGE_KEY = "lakescope.preferences";

const DEFAULTS: Preferences = {
  theme: "system",
  language: "system",
  zone: "local",
  density: "compact",
  shortcuts: true,
  keys: {},
  treeOpen: true,
  treeWidth: 232,
  expanded: [],
  recent: [],
};

let current: Preferences = load();
const listeners = new Set<() => void>();

function load(): Preferences {
  try {
    const saved: unknown = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? "{}");
    return { ...DEFAULTS, ...(typeof saved === "object" && saved !== null ? saved : {}) };
  } catch {
    return DEFAULTS; // storage is blocked, or holds something that is not ours
  }
}

export function preferences(): Preferences {
  return current;
}

export function setPreferences(change: Partial<Preferences>): void {
  current = { ...current, ...change };
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(current));
  } catch {
    // A browser that refuses storage still gets the choice for this page view.
  }
  applyToDocument();
  for (const listener of listeners) listener();
}

export function usePreferences(): Preferences {
  return useSyncExternalStore(subscribe, preferences);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The language of the pages: the person's choice, else the browser's if we speak it, else English. */
export function language(): "en" | "zh-CN" {
  if (current.language !== "system") return current.language;
  return navigator.language.toLowerCase().startsWith("zh") ? "zh-CN" : "en";
}

/** Puts theme, density and language onto <html>, and the language into the cookie that Django's own pages read. */
export function applyToDocument(): void {
  const root = document.documentElement;
  const dark =
    current.theme === "dark" ||
    (current.theme === "system" && matchMedia("(prefers-color-scheme: dark)").matches);
  root.dataset["theme"] = dark ? "dark" : "light";
  root.dataset["density"] = current.density;
  root.lang = language();
  document.cookie = `django_language=${language() === "en" ? "en" : "zh-hans"};path=/;SameSite=Lax;max-age=31536000`;
}

/** Follows the system's theme while the preference says so. */
export function followSystemTheme(): void {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", applyToDocument);
}

/** The single keys that do something, and that a person may put elsewhere. */
export const SINGLE_KEYS = ["/", "[", "]", "g", "j", "k", "v", "c", "?"] as const;

/** The usual key that a pressed one stands for; empty for a usual one that was put elsewhere. */
export function meantKey(pressed: string): string {
  const { keys } = current;
  const usual = Object.keys(keys).find((key) => keys[key] === pressed);
  return usual ?? (pressed in keys ? "" : pressed);
}

/** The key that does now what `usual` does where nothing was changed. */
export function ownKey(usual: string): string {
  return current.keys[usual] ?? usual;
}

/** Puts what `usual` does on another key; false where that is none, or does something else already. */
export function putKey(usual: string, own: string): boolean {
  const taken = SINGLE_KEYS.some((key) => key !== usual && ownKey(key) === own);
  if ([...own].length !== 1 || own.trim() === "" || taken) return false;
  const { [usual]: _before, ...others } = current.keys;
  setPreferences({ keys: own === usual ? others : { ...others, [usual]: own } });
  return true;
}
