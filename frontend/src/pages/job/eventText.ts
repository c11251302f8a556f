/** The data of an event as one line: `phase rewrite · done 2 · total 3`. */
export function eventText(data: Readonly<Record<string, unknown>>): string {
  return Object.entries(data)
    .filter(([, value]) => value !== null && value !== "")
    .map(([key, value]) => `${key} ${typeof value === "object" ? JSON.stringify(value) : String(value)}`)
    .join(" · ");
}
