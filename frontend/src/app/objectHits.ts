import type { ObjectPlace, ObjectSearch } from "../api/objects";
import type { Search } from "./search";

const NAMES = [
  /^(snapshot|changelog|schema)-\d+$/,
  /^(manifest|index|stats?)-\S+$/,
  /[0-9a-f]{8}-[0-9a-f]{4}-/,
  /^\S+\.(parquet|orc|avro|index)$/,
] as const;

/** Whether a pasted text is the name of a file, or a path that ends in one. */
export function namesFile(text: string): boolean {
  const name = text.replace(/^["'`]|["'`]$/g, "").replace(/^.*\//, "");
  return NAMES.some((pattern) => pattern.test(name));
}

/** The page that shows what was found. */
export type Target =
  | { readonly page: "files" | "overview"; readonly search: Search }
  | { readonly page: "schema"; readonly schema: string; readonly search: Search }
  | {
      readonly page: "snapshot" | "manifests" | "changes";
      readonly snapshot: string;
      readonly search: Search;
    };

/** Where a name that was found is to be seen: its file, the commit that removed it, the list that names it. */
export function targetOf(kind: ObjectSearch["kind"], place: ObjectPlace): Target {
  const branch: Search = place.branch === "main" ? {} : { branch: place.branch };
  const { snapshot } = place;
  if (kind === "schema") return { page: "schema", schema: place.name.replace("schema-", ""), search: branch };
  if (snapshot === null) return { page: "overview", search: branch };
  const at = place.tag === null ? snapshot : `tag:${place.tag}`;
  switch (place.role) {
    case "live":
    case "tagged":
      return { page: "files", search: { ...branch, at, open: `file:${place.name}` } };
    case "removed":
      return { page: "changes", snapshot, search: { ...branch, "f.file": place.name } };
    case "changelog":
      return kind === "file"
        ? { page: "changes", snapshot, search: { ...branch, view: "changelog", "f.file": place.name } }
        : { page: "manifests", snapshot, search: branch };
    case "base":
    case "delta":
    case "index":
      return { page: "manifests", snapshot, search: branch };
    case "statistics":
    case "itself":
      return { page: "snapshot", snapshot, search: branch };
  }
}
