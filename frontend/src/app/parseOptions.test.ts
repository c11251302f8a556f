import { expect, test } from "vitest";
import { parseOptions } from "./parseOptions";

test("each line is a key and a value", () => {
  expect(parseOptions("header = true\n\nsep=;")).toEqual({ header: "true", sep: ";" });
});

test("only the first equals sign separates", () => {
  expect(parseOptions("filter=a=b")).toEqual({ filter: "a=b" });
});
