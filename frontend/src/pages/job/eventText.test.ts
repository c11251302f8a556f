import { expect, test } from "vitest";
import { eventText } from "./eventText";

test("an event's data is one line, without what is not known", () => {
  expect(eventText({ phase: "rewrite", done: 2, total: null, files: ["a"] })).toBe(
    'phase rewrite · done 2 · files ["a"]',
  );
});
