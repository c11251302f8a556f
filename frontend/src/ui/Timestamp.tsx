import { useEffect, useState } from "react";
import { useFormat } from "../i18n";

/** An instant: relative while younger than seven days, with the exact time in the tooltip. */
export function Timestamp({ value, exact = false }: { value: string | null | undefined; exact?: boolean }) {
  const format = useFormat();
  const now = useNow(exact ? null : 10_000);
  if (value === null || value === undefined) return <span className="muted">–</span>;
  return (
    <time dateTime={value} title={`${format.time(value)} ${format.offset(Date.parse(value))} · ${value}`}>
      {exact ? format.time(value) : format.relative(value, now)}
    </time>
  );
}

/** The clock, renewed every `period` milliseconds (null: never). */
export function useNow(period: number | null): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (period === null) return;
    const timer = setInterval(() => setNow(Date.now()), period);
    return () => clearInterval(timer);
  }, [period]);
  return now;
}
