import { useFormat } from "../i18n";

interface CountProps {
  readonly value: number | null | undefined;
  /** `1.2 B`, for cards; the exact number is in the tooltip. */
  readonly compact?: boolean;
  /** With a plus sign, for changes. */
  readonly signed?: boolean;
}

/** A count, grouped. Null is unknown, never zero. */
export function Count({ value, compact = false, signed = false }: CountProps) {
  const format = useFormat();
  if (value === null || value === undefined) return <span className="muted">–</span>;
  if (signed) return <span>{format.signed(value)}</span>;
  if (compact) return <span title={format.count(value)}>{format.compact(value)}</span>;
  return <span>{format.count(value)}</span>;
}
