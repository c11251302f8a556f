import type { NewPlan } from "../api/jobs";
import type { Search } from "./search";

// What each form of an action reads from the address: a plan's parameters as one would have typed them.

type Given = Readonly<Record<string, unknown>>;

function text(value: unknown): string | undefined {
  if (value === null || value === undefined || value === "") return undefined;
  if (Array.isArray(value)) return value.map(String).join("\n") || undefined;
  if (typeof value === "object") return pairs(value as Given);
  return typeof value === "string" ? value : String(value as number | boolean);
}

/** `key=value`, one a line; null is written as nothing. */
function pairs(value: Given, between = "\n"): string | undefined {
  const told = Object.entries(value).map(([key, one]) => `${key}=${text(one) ?? ""}`);
  return told.join(between) || undefined;
}

function target(value: unknown): string | undefined {
  const to = (value ?? {}) as Readonly<Record<string, string | undefined>>;
  if (to["time"] !== undefined) return `time:${to["time"]}`;
  if (to["watermark"] !== undefined) return `watermark:${to["watermark"]}`;
  if (to["tag"] !== undefined) return `tag:${to["tag"]}`;
  return to["branch"] === undefined ? to["snapshot"] : `branch:${to["branch"]}`;
}

function written(params: Given): Search {
  const source = (params["source"] ?? {}) as Given;
  const isQuery = source["kind"] === "query";
  const merge = params["merge_schema"] === true;
  const widen = params["type_widening"] === true;
  const explicit = params["explicit_casts"] === true;
  return {
    "f.source": isQuery ? "query" : undefined,
    "f.query": text(source["query"]),
    "f.path": text(source["path"]),
    "f.format": text(source["format"]),
    "f.options": pairs((source["options"] ?? {}) as Given, ","),
    "f.mode": text(params["mode"]),
    "f.partition": pairs((params["partition"] ?? {}) as Given, ","),
    "f.row_kind": text(params["row_kind_column"]),
    "f.merge": merge ? (widen ? (explicit ? "explicit" : "widen") : "yes") : undefined,
  };
}

function named(params: Given): Search {
  return {
    "f.action": text(params["action"]),
    "f.name": text(params["name"]),
    "f.new_name": text(params["new_name"]),
    "f.retain": text(params["retain"]),
    to: text(params["snapshot"]) ?? target(params["start"]),
  };
}

/** The query string with which the form of an action is filled as it was for a plan. */
export function clonedSearch(kind: NewPlan["kind"], params: Given): Search {
  switch (kind) {
    case "write":
      return written(params);
    case "rollback":
      return {
        to: target(params["to"]),
        "f.guard": params["guard"] === false ? "no" : undefined,
        "f.reset": params["reset_consumers"] === true ? "yes" : undefined,
      };
    case "restore":
      return { to: target(params["to"]) };
    case "tag":
    case "branch":
    case "consumer":
      return named(params);
    default:
      return Object.fromEntries(
        Object.entries(params).map(([name, value]) => [`f.${SHORT[name] ?? name}`, text(value)]),
      );
  }
}

const SHORT: Readonly<Record<string, string>> = { partitions: "partition", buckets: "bucket" };
