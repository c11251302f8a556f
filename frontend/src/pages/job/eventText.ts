import type { JobEvent, JobState } from "../../api/jobs";
import type { Format, Messages } from "../../i18n";

/** What an event tells, as one line in the reader's language; what has no words has its own name. */
export function eventText(
  event: Pick<JobEvent, "type" | "data">,
  messages: Messages,
  format: Format,
): string {
  return Object.entries(event.data)
    .filter(([, value]) => value !== null && value !== "")
    .map(([key, value]) => {
      const name = nameOf(key, messages);
      const shown = shownOf(key, value, messages, format);
      return name === "" ? shown : `${name} ${shown}`;
    })
    .join(" · ");
}

function nameOf(key: string, { jobs }: Messages): string {
  const words: Readonly<Record<string, string>> = { ...jobs.metrics, ...jobs.eventFields };
  return words[key] ?? key.replaceAll("_", " ");
}

function shownOf(key: string, value: unknown, messages: Messages, format: Format): string {
  if (typeof value === "number") {
    return key === "size" || key.includes("bytes") ? format.bytes(value) : format.count(value);
  }
  if (typeof value !== "string") return typeof value === "object" ? JSON.stringify(value) : String(value);
  switch (key) {
    case "state":
    case "before":
      return messages.jobStates[value as JobState] ?? value;
    case "phase":
      return messages.jobPhases(value);
    case "unit":
      return messages.jobUnits(value);
    case "level":
      return messages.jobs.eventLevels[value as keyof Messages["jobs"]["eventLevels"]] ?? value;
    case "snapshot":
      return `#${value.split("~")[0] ?? ""}`;
    default:
      return value;
  }
}
