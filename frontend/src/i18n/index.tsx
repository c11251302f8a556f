import { createContext, use, useEffect, useMemo, useState, type ReactNode } from "react";
import { language, usePreferences } from "../preferences";
import type { Messages } from "./en";
import { makeFormat, type Format, type Locale } from "./format";

export type { Messages } from "./en";
export type { Format, Locale } from "./format";

interface Language {
  readonly locale: Locale;
  readonly messages: Messages;
  readonly format: Format;
}

const LanguageContext = createContext<Language | null>(null);

/** The words of one language; each language is a chunk of its own. */
export async function loadMessages(locale: Locale): Promise<Messages> {
  return locale === "en" ? (await import("./en")).en : (await import("./zh-CN")).zhCN;
}

interface Loaded {
  readonly locale: Locale;
  readonly messages: Messages;
}

/** Gives the pages below it words and formats, and swaps both when the person picks another language or zone. */
export function LanguageProvider({ initial, children }: { initial: Loaded; children: ReactNode }) {
  const { zone } = usePreferences();
  const wanted = language();
  const [loaded, setLoaded] = useState(initial);
  useEffect(() => {
    if (wanted === loaded.locale) return;
    let current = true;
    void loadMessages(wanted).then((messages) => {
      if (current) setLoaded({ locale: wanted, messages });
    });
    return () => {
      current = false;
    };
  }, [wanted, loaded.locale]);
  const value = useMemo(() => ({ ...loaded, format: makeFormat(loaded.locale, zone) }), [loaded, zone]);
  return <LanguageContext value={value}>{children}</LanguageContext>;
}

function useLanguage(): Language {
  const value = use(LanguageContext);
  if (value === null) throw new Error("useLanguage is used outside LanguageProvider");
  return value;
}

export function useMessages(): Messages {
  return useLanguage().messages;
}

export function useFormat(): Format {
  return useLanguage().format;
}

export function useLocale(): Locale {
  return useLanguage().locale;
}
