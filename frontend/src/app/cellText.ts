/** A value of a row as text: exact for 64-bit numbers and decimals, which come as strings; nested values as JSON. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
