import { afterEach, expect, test } from "vitest";
import { meantKey, putKey, setPreferences } from "../preferences";
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

afterEach(() => setPreferences({ keys: {} }));

test("a key that was put elsewhere works there alone", () => {
  expect(putKey("c", "y")).toBe(true);
  expect([meantKey("y"), meantKey("c"), meantKey("j")]).toEqual(["c", "", "j"]);
  expect(putKey("k", "c")).toBe(true); // free now
  expect(meantKey("c")).toBe("k");
});

test("no key does two things, and only characters are keys", () => {
  expect([putKey("c", "j"), putKey("c", " "), putKey("c", "ab"), putKey("c", "")]).toEqual(
    Array(4).fill(false),
  );
  putKey("c", "y");
  expect([putKey("v", "y"), putKey("c", "c"), meantKey("y")]).toEqual([false, true, "y"]);
});
