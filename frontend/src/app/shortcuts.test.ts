import { expect, test } from "vitest";
import { isTyping, matchShortcut } from "./shortcuts";

const shortcuts = { "g o": () => undefined, "g l": () => undefined, "[": () => undefined };

test("a single key matches at once", () => expect(matchShortcut(shortcuts, null, "[")).toBe("["));
test("two keys match together", () => expect(matchShortcut(shortcuts, "g", "o")).toBe("g o"));
test("the first of two does nothing alone", () => expect(matchShortcut(shortcuts, null, "g")).toBeNull());
test("a key after an unrelated one still counts", () => expect(matchShortcut(shortcuts, "x", "[")).toBe("["));

test("keys typed into a field are not shortcuts", () => {
  expect(isTyping(document.createElement("textarea"))).toBe(true);
  expect(isTyping(document.createElement("div"))).toBe(false);
});
