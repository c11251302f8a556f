export type Locale = "en" | "zh-CN";
export type Zone = "local" | "utc";

const BYTE_UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
const DAY_MILLIS = 86_400_000;

/** How values look in one language and one time zone. All functions are pure. */
export interface Format {
  /** `318 GiB`: IEC unit, three significant digits. */
  bytes(value: number): string;
  /** `341,902,128 B`: every byte. */
  exactBytes(value: number): string;
  /** `14,208` */
  count(value: number): string;
  /** `1.2 B` or `12 亿`: for cards only. */
  compact(value: number): string;
  /** `+14,208` or `−3`, and `0`. */
  signed(value: number): string;
  signedBytes(value: number): string;
  /** `3.8`: at most one decimal. */
  decimal(value: number): string;
  /** `3.1×` */
  ratio(value: number): string;
  /** `61 %` from 0.61; one decimal below 10 %. */
  percent(share: number): string;
  /** `2 m 14 s` from milliseconds. */
  duration(millis: number): string;
  /** `2026-11-20 10:31:07` in the chosen zone. */
  time(rfc3339: string): string;
  /** `10:31:07` in the chosen zone. */
  clock(rfc3339: string): string;
  /** `10:31:07` of today, else the time with its day. */
  moment(rfc3339: string, now: number): string;
  /** `4 hours ago` below seven days, else the time itself. */
  relative(rfc3339: string, now: number): string;
  /** `+08:00`: the offset of the chosen zone at `at`. */
  offset(at: number): string;
}

export function makeFormat(locale: Locale, zone: Zone): Format {
  const integer = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 });
  const three = new Intl.NumberFormat(locale, { maximumSignificantDigits: 3 });
  const oneDecimal = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
  const compactNumber = new Intl.NumberFormat(locale, { notation: "compact", maximumSignificantDigits: 3 });
  const relativeTime = new Intl.RelativeTimeFormat(locale, { numeric: "always", style: "short" });

  const bytes = (value: number): string => {
    const sign = value < 0 ? "−" : "";
    let rest = Math.abs(value);
    let unit = 0;
    while (rest >= 1024 && unit < BYTE_UNITS.length - 1) {
      rest /= 1024;
      unit += 1;
    }
    return `${sign}${rest < 999.5 ? three.format(rest) : integer.format(rest)} ${BYTE_UNITS[unit]}`;
  };
  /** With the sign that subtracts, not the one that joins words. */
  const minus = (text: string): string => text.replace("-", "−");
  const signedWith = (value: number, text: (absolute: number) => string): string =>
    value === 0 ? text(0) : `${value < 0 ? "−" : "+"}${text(Math.abs(value))}`;
  const time = (rfc3339: string): string => isoParts(rfc3339, zone).join(" ").trimEnd();

  return {
    bytes,
    exactBytes: (value) => `${integer.format(value)} B`,
    count: (value) => minus(integer.format(value)),
    compact: (value) => spaced(compactNumber.formatToParts(value)),
    signed: (value) => signedWith(value, (v) => integer.format(v)),
    signedBytes: (value) => signedWith(value, bytes),
    decimal: (value) => minus(oneDecimal.format(value)),
    ratio: (value) => `${(value < 10 ? oneDecimal : integer).format(value)}×`,
    percent: (share) => `${(Math.abs(share) < 0.1 ? oneDecimal : integer).format(share * 100)} %`,
    duration: (millis) => duration(millis, locale),
    time,
    clock: (rfc3339) => isoParts(rfc3339, zone)[1],
    moment: (rfc3339, now) => {
      const [day, clock] = isoParts(rfc3339, zone);
      return day === isoParts(new Date(now).toISOString(), zone)[0] ? clock : time(rfc3339);
    },
    relative: (rfc3339, now) => {
      const age = now - Date.parse(rfc3339);
      if (Math.abs(age) >= 7 * DAY_MILLIS) return time(rfc3339);
      const [value, unit] = coarsest(age);
      return relativeTime.format(-value, unit);
    },
    offset: (at) => offsetText(zone === "utc" ? 0 : -new Date(at).getTimezoneOffset()),
  };
}

function spaced(parts: Intl.NumberFormatPart[]): string {
  return parts.map((part) => (part.type === "compact" ? ` ${part.value}` : part.value)).join("");
}

function isoParts(rfc3339: string, zone: Zone): [string, string] {
  const instant = new Date(rfc3339);
  if (Number.isNaN(instant.getTime())) return [rfc3339, ""];
  const shift = zone === "utc" ? 0 : instant.getTimezoneOffset() * 60_000;
  const wall = new Date(instant.getTime() - shift).toISOString();
  return [wall.slice(0, 10), wall.slice(11, 19)];
}

function coarsest(age: number): [number, Intl.RelativeTimeFormatUnit] {
  const seconds = age / 1000;
  const size = Math.abs(seconds);
  if (size < 60) return [Math.round(seconds), "second"];
  if (size < 3600) return [Math.round(seconds / 60), "minute"];
  if (size < 86_400) return [Math.round(seconds / 3600), "hour"];
  return [Math.round(seconds / 86_400), "day"];
}

const DURATION_UNITS: Record<Locale, [string, string, string, string]> = {
  en: ["d", "h", "m", "s"],
  "zh-CN": ["天", "小时", "分", "秒"],
};

function duration(millis: number, locale: Locale): string {
  const [d, h, m, s] = DURATION_UNITS[locale];
  if (millis < 100) return `${Math.round(millis)} ${locale === "en" ? "ms" : "毫秒"}`;
  if (millis < 9950) return `${(millis / 1000).toFixed(1)} ${s}`;
  const total = Math.round(millis / 1000);
  const parts: [number, string][] = [
    [Math.floor(total / 86_400), d],
    [Math.floor(total / 3600) % 24, h],
    [Math.floor(total / 60) % 60, m],
    [total % 60, s],
  ];
  const first = parts.findIndex(([value]) => value > 0);
  return parts
    .slice(first, first + 2)
    .filter(([value], at) => at === 0 || value > 0)
    .map(([value, unit]) => `${value} ${unit}`)
    .join(" ");
}

function offsetText(minutes: number): string {
  const size = Math.abs(minutes);
  const two = (value: number) => String(Math.floor(value)).padStart(2, "0");
  return `${minutes < 0 ? "−" : "+"}${two(size / 60)}:${two(size % 60)}`;
}
