import { useFormat } from "../i18n";

/** A size in IEC units; every byte is in the tooltip. Null is unknown, never zero. */
export function Bytes({ value }: { value: number | null | undefined }) {
  const format = useFormat();
  if (value === null || value === undefined) return <span className="muted">–</span>;
  return <span title={format.exactBytes(value)}>{format.bytes(value)}</span>;
}

export function BytesDelta({ value }: { value: number | null | undefined }) {
  const format = useFormat();
  if (value === null || value === undefined) return <span className="muted">–</span>;
  return <span title={format.exactBytes(value)}>{format.signedBytes(value)}</span>;
}
