/** The query string, which holds every state that a colleague would want linked. */
export interface Search {
  readonly at?: string; // pinned snapshot: id, id~identity, tag:name, or time
  readonly from?: string; // compare base, same syntax
  readonly to?: string;
  readonly branch?: string;
  readonly sort?: string; // field, `-` before it for descending
  readonly view?: string;
  readonly open?: string; // what the drawer shows, as kind:name
  readonly q?: string;
  readonly group?: string; // what rows are summed by
  readonly stats?: string; // ids of the columns whose statistics are shown
  readonly [filter: `f.${string}`]: string | undefined;
}

const NAMES = ["at", "from", "to", "branch", "sort", "view", "open", "q", "group", "stats"] as const;

/** What is known of a query string; anything else is dropped. */
export function validateSearch(raw: Record<string, unknown>): Search {
  const kept = Object.entries(raw).filter(
    ([key, value]) =>
      typeof value === "string" &&
      value !== "" &&
      (key.startsWith("f.") || NAMES.some((name) => name === key)),
  );
  return Object.fromEntries(kept) as Search;
}

export function parseSearch(text: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(text));
}

/** `?at=42~9f3c&f.level=0`: plain strings, with the characters that are safe in a query left readable. */
export function stringifySearch(search: Record<string, unknown>): string {
  const pairs = Object.entries(search)
    .filter((pair): pair is [string, string] => typeof pair[1] === "string" && pair[1] !== "")
    .map(([key, value]) => `${escape(key)}=${escape(value)}`);
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

function escape(text: string): string {
  return encodeURIComponent(text).replaceAll("%3A", ":").replaceAll("%2C", ",").replaceAll("%2F", "/");
}

/** The filters without their prefix. */
export function filtersOf(search: Search): Record<string, string> {
  return Object.fromEntries(
    Object.entries(search).flatMap(([key, value]) =>
      key.startsWith("f.") && value !== undefined ? [[key.slice(2), value]] : [],
    ),
  );
}

const OPERATOR = /^(eq|ne|lt|le|gt|ge|in|prefix|contains|null):(.*)$/;

/** Filters as the API takes them: `lt:1MiB` of `size` becomes `size[lt]=1MiB`. */
export function toApiFilters(filters: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(filters).map(([field, value]) => {
      const found = OPERATOR.exec(value);
      return found ? [`${field}[${found[1]}]`, found[2] ?? ""] : [field, value];
    }),
  );
}

/** What survives a walk between the tabs of one table. */
export function pinOf(search: Search): Search {
  return {
    ...(search.at !== undefined && { at: search.at }),
    ...(search.branch !== undefined && { branch: search.branch }),
  };
}
