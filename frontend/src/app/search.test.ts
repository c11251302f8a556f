import { expect, test } from "vitest";
import { filtersOf, parseSearch, pinOf, stringifySearch, toApiFilters, validateSearch } from "./search";

test("a query string survives a round trip", () => {
  const text = "?at=42~9f3c&f.level=0&sort=-bytes&open=file:data-1.parquet";
  expect(stringifySearch(parseSearch(text))).toBe(text);
});

test("numbers stay text, however long", () => {
  expect(validateSearch(parseSearch("?at=9223372036854775807")).at).toBe("9223372036854775807");
});

test("unknown parameters are dropped", () => {
  expect(validateSearch({ at: "42", colour: "red", view: 3 })).toEqual({ at: "42" });
});

test("filters are told by their prefix", () => {
  expect(filtersOf({ at: "42", "f.level": "0", "f.size": "lt:1MiB" })).toEqual({
    level: "0",
    size: "lt:1MiB",
  });
});

test("an operator moves into brackets for the API", () => {
  expect(toApiFilters({ level: "0", size: "lt:1MiB", kind: "in:append,compact" })).toEqual({
    level: "0",
    "size[lt]": "1MiB",
    "kind[in]": "append,compact",
  });
});

test("a colon that is no operator belongs to the value", () => {
  expect(toApiFilters({ path: "s3://bucket" })).toEqual({ path: "s3://bucket" });
});

test("the pin is what tabs share", () => {
  expect(pinOf({ at: "42", branch: "dev", sort: "id", view: "heatmap" })).toEqual({
    at: "42",
    branch: "dev",
  });
});
