import { expect, test } from "vitest";
import { cellText } from "./cellText";

test.each([
  ["9223372036854775807", "9223372036854775807"],
  [null, ""],
  [true, "true"],
  [{ city: "Berlin" }, '{"city":"Berlin"}'],
])("%j is written %s", (value, text) => {
  expect(cellText(value)).toBe(text);
});
