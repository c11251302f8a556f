/** `prod.sales.o*` as a scope; nothing, or `*`, is everything. */
export function toScope(text: string): { warehouse?: string; database?: string; table?: string } {
  const [warehouse, database, ...table] = text.trim() === "*" ? [] : text.trim().split(".");
  return {
    ...(warehouse && { warehouse }),
    ...(database && { database }),
    ...(table.length > 0 && { table: table.join(".") }),
  };
}
