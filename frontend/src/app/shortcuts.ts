import { useEffect } from "react";
import { meantKey, preferences } from "../preferences";

/** Keys and what they do; two keys after another are written `g o`. */
export type Shortcuts = Readonly<Record<string, () => void>>;

const SEQUENCE_MILLIS = 1200;

/** Whether a key belongs to what the person is typing. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName);
}

/** The shortcut that a key completes, after `before` if that was pressed just now. */
export function matchShortcut(shortcuts: Shortcuts, before: string | null, key: string): string | null {
  const sequence = before === null ? null : `${before} ${key}`;
  if (sequence !== null && sequence in shortcuts) return sequence;
  return key in shortcuts ? key : null;
}

/**
 * Binds single keys while the page is shown. They never fire inside an input, and can be turned off. `first` of two
 * that bind a key gets it.
 */
export function useShortcuts(shortcuts: Shortcuts, first = false): void {
  useEffect(() => {
    let before: { key: string; at: number } | null = null;
    const listener = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (!preferences().shortcuts || isTyping(event.target)) return;
      const recent = before !== null && event.timeStamp - before.at < SEQUENCE_MILLIS ? before.key : null;
      const key = recent === "g" ? event.key : meantKey(event.key); // what follows g is the letter of a tab
      before = { key, at: event.timeStamp };
      const found = matchShortcut(shortcuts, recent, key);
      if (found === null) return;
      event.preventDefault();
      before = null;
      shortcuts[found]?.();
    };
    document.addEventListener("keydown", listener, first);
    return () => document.removeEventListener("keydown", listener, first);
  }, [shortcuts, first]);
}
