import { describe, expect, test } from "vitest";
import { makeFormat } from "./format";

const en = makeFormat("en", "utc");
const zh = makeFormat("zh-CN", "utc");

describe("bytes", () => {
  test.each([
    [0, "0 B"],
    [1023, "1,023 B"],
    [1024, "1 KiB"],
    [341_902_128, "326 MiB"],
    [9.4 * 2 ** 30, "9.4 GiB"],
    [1023 * 1024, "1,023 KiB"],
  ])("%d is %s", (value, text) => {
    expect(en.bytes(value)).toBe(text);
  });

  test("a loss of bytes has a minus sign", () => {
    expect(en.signedBytes(-(2 ** 31))).toBe("−2 GiB");
  });
});

describe("numbers", () => {
  test("counts are grouped", () => expect(en.count(14_208)).toBe("14,208"));
  test("compact counts have a space before the unit", () => expect(en.compact(1.2e9)).toBe("1.2 B"));
  test("Chinese counts in ten thousands", () => expect(zh.compact(1.2e9)).toBe("12 亿"));
  test("ratios end with a times sign", () => expect(en.ratio(3.14)).toBe("3.1×"));
  test("percentages above ten have no decimals", () => expect(en.percent(0.614)).toBe("61 %"));
  test("percentages below ten keep one", () => expect(en.percent(0.0314)).toBe("3.1 %"));
  test("no change has no sign", () => expect(en.signed(0)).toBe("0"));
});

describe("durations", () => {
  test.each([
    [12, "12 ms"],
    [800, "0.8 s"],
    [11_000, "11 s"],
    [134_000, "2 m 14 s"],
    [7_200_000, "2 h"],
    [90_061_000, "1 d 1 h"],
  ])("%d ms is %s", (millis, text) => {
    expect(en.duration(millis)).toBe(text);
  });

  test("Chinese units", () => expect(zh.duration(134_000)).toBe("2 分 14 秒"));
});

describe("times", () => {
  const noon = "2026-11-20T12:00:00.000Z";

  test("a time is written in ISO order", () => expect(en.time(noon)).toBe("2026-11-20 12:00:00"));
  test("four hours later it was four hours ago", () => {
    expect(en.relative(noon, Date.parse(noon) + 4 * 3_600_000)).toBe("4 hr. ago");
  });
  test("a week later it is written out", () => {
    expect(en.relative(noon, Date.parse(noon) + 7 * 86_400_000)).toBe("2026-11-20 12:00:00");
  });
  test("a moment of today is its clock alone", () => {
    expect(en.moment(noon, Date.parse(noon) + 3_600_000)).toBe("12:00:00");
  });
  test("a moment of another day has its day", () => {
    expect(en.moment(noon, Date.parse(noon) + 86_400_000)).toBe("2026-11-20 12:00:00");
  });
  test("UTC has offset zero", () => expect(en.offset(0)).toBe("+00:00"));
  test("what is not a time is shown as it came", () => expect(en.time("never")).toBe("never"));
});
