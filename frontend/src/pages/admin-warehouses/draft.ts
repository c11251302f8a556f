import type { KindField, KindForm, Kinds, Warehouse } from "../../api/warehouses";
import { parseOptions } from "../../app/parseOptions";

/** The field that is the place itself, and no option. */
export const LOCATION = "warehouse";

/** What somebody has filled in. Secrets of a registered warehouse are null until they are typed anew. */
export interface Draft {
  readonly name: string;
  readonly description: string;
  readonly catalog: string;
  readonly store: string;
  readonly values: Readonly<Record<string, string | null>>;
  readonly more: string; // options without a field, one a line
}

export interface Target {
  readonly location: string;
  readonly options: Record<string, string | null>;
  readonly credentials: Record<string, string | null>;
}

/** The forms that a draft consists of; the store of a server's catalog has no place of its own. */
export function formsOf(kinds: Kinds, draft: Draft): { catalog: KindForm; store: KindForm } {
  const catalog = kinds.catalogs.find((form) => form.name === draft.catalog) ?? kinds.catalogs[0];
  const allowed = kinds.stores.filter((form) => catalog?.stores.includes(form.name));
  const store = allowed.find((form) => form.name === draft.store) ?? allowed[0];
  if (catalog === undefined || store === undefined) throw new Error("the server names no kinds");
  return { catalog, store };
}

/** The fields to fill in, those of the catalog first. */
export function fieldsOf({ catalog, store }: { catalog: KindForm; store: KindForm }): readonly KindField[] {
  const named = new Set(catalog.fields.map((field) => field.key));
  return [...catalog.fields, ...store.fields.filter((field) => !named.has(field.key))];
}

/** What the field shows: what was typed, or the first of its choices. */
export function valueOf(draft: Draft, field: KindField): string {
  return draft.values[field.key] ?? field.choices[0] ?? "";
}

/** Location, options and credentials of what was filled in; fields of other kinds are left out. */
export function targetOf(kinds: Kinds, draft: Draft): Target {
  const forms = formsOf(kinds, draft);
  const options: Record<string, string | null> = { ...forms.store.fixed, ...forms.catalog.fixed };
  const credentials: Record<string, string | null> = {};
  let location = "";
  for (const field of fieldsOf(forms)) {
    const value = valueOf(draft, field).trim();
    if (field.key === LOCATION) location = value;
    else if (!field.secret && value !== "") options[field.key] = value;
    else if (field.secret && (value !== "" || draft.values[field.key] === null)) {
      credentials[field.key] = value === "" ? null : value;
    }
  }
  return { location, options: { ...options, ...parseOptions(draft.more) }, credentials };
}

/** Whether every field that has to be filled in is. */
export function isComplete(kinds: Kinds, draft: Draft): boolean {
  const forms = formsOf(kinds, draft);
  const filled = (field: KindField) =>
    valueOf(draft, field).trim() !== "" || draft.values[field.key] === null;
  return (
    draft.name.trim() !== "" &&
    forms.store.supported &&
    fieldsOf(forms).every((field) => !field.required || filled(field))
  );
}

export const EMPTY: Draft = {
  name: "",
  description: "",
  catalog: "filesystem",
  store: "disk",
  values: {},
  more: "",
};

/** A registered warehouse as a draft of itself: its secrets are kept, and not shown. */
export function draftOf(kinds: Kinds, warehouse: Warehouse): Draft {
  const start = {
    ...EMPTY,
    name: warehouse.name,
    description: warehouse.description ?? "",
    catalog: warehouse.kind ?? EMPTY.catalog,
    store: warehouse.store ?? EMPTY.store,
  };
  const forms = formsOf(kinds, start);
  const asked = new Set(fieldsOf(forms).map((field) => field.key));
  const fixed = { ...forms.store.fixed, ...forms.catalog.fixed };
  const options = Object.entries(warehouse.options ?? {});
  const more = options.filter(([key, value]) => !asked.has(key) && fixed[key] !== value);
  return {
    ...start,
    values: {
      ...Object.fromEntries(options.filter(([key]) => asked.has(key))),
      ...Object.fromEntries(warehouse.credential_keys.map((key) => [key, null])),
      [LOCATION]: warehouse.location,
    },
    more: more.map(([key, value]) => `${key}=${value ?? ""}`).join("\n"),
  };
}
