import { expect, test } from "vitest";
import type { KindField, KindForm, Kinds, Warehouse } from "../../api/warehouses";
import { draftOf, EMPTY, fieldsOf, formsOf, isComplete, targetOf } from "./draft";

const field = (key: string, more: Partial<KindField> = {}): KindField => ({
  key,
  label: key,
  hint: null,
  example: "",
  required: false,
  choices: [],
  secret: false,
  ...more,
});
const form = (name: string, fields: KindField[], more: Partial<KindForm> = {}): KindForm => ({
  name,
  label: name,
  note: null,
  fields,
  fixed: {},
  stores: [],
  tested: true,
  supported: true,
  ...more,
});
const place = field("warehouse", { required: true });
const kinds: Kinds = {
  catalogs: [
    form("filesystem", [], { stores: ["disk", "s3", "hdfs"] }),
    form(
      "rest",
      [field("uri", { required: true }), place, field("token", { secret: true, required: true })],
      {
        fixed: { metastore: "rest", "token.provider": "bear" },
        stores: ["disk", "s3"],
      },
    ),
  ],
  stores: [
    form("disk", [place]),
    form("s3", [place, field("path.style", { choices: ["true", "false"] }), field("key", { secret: true })]),
    form("hdfs", [place], { supported: false }),
  ],
};
const registered = {
  name: "lake",
  kind: "rest",
  store: "disk",
  location: "served",
  options: { metastore: "rest", "token.provider": "bear", uri: "http://h", odd: "1" },
  credential_keys: ["token"],
} as unknown as Warehouse;

test("a draft has the fields of its kind and no others", () => {
  const draft = { ...EMPTY, store: "s3", values: { warehouse: "s3://b/w", uri: "http://other", key: "k" } };
  expect(targetOf(kinds, draft)).toEqual({
    location: "s3://b/w",
    options: { "path.style": "true" },
    credentials: { key: "k" },
  });
});

test("the place of a server's warehouse is asked for once", () => {
  const draft = { ...EMPTY, catalog: "rest", store: "s3" };
  expect(fieldsOf(formsOf(kinds, draft)).map((each) => each.key)).toEqual([
    "uri",
    "warehouse",
    "token",
    "path.style",
    "key",
  ]);
});

test("a registered warehouse is a draft of itself, its secrets kept and its other options beside", () => {
  const draft = draftOf(kinds, registered);
  expect(draft.more).toBe("odd=1");
  expect(targetOf(kinds, draft)).toEqual({
    location: "served",
    options: registered.options,
    credentials: { token: null },
  });
  expect(isComplete(kinds, draft)).toBe(true);
});

test("what is typed anew takes the place of a secret that was kept", () => {
  const draft = draftOf(kinds, registered);
  const typed = { ...draft, values: { ...draft.values, token: "new" } };
  expect(targetOf(kinds, typed).credentials).toEqual({ token: "new" });
});

test("a store that is not supported, and a field that is missing, are not registered", () => {
  const named = { ...EMPTY, name: "x", values: { warehouse: "/w" } };
  expect(isComplete(kinds, named)).toBe(true);
  expect(isComplete(kinds, { ...named, store: "hdfs" })).toBe(false);
  expect(isComplete(kinds, { ...named, values: {} })).toBe(false);
});
