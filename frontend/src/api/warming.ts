/** How far work of the server has come that a request waits for: the first read of a large table, for one. */
export interface Warming {
  readonly done: number;
  readonly total: number | null;
  readonly unit: string;
}

let waiting: ReadonlyMap<string, Warming | null> = new Map(); // by address; null: it does not say
const listeners = new Set<() => void>();

/** Notes that the request to this address waits, or with undefined that it does no more. */
export function noteWarming(url: string, progress: Warming | null | undefined): void {
  const next = new Map(waiting);
  if (progress === undefined) next.delete(url);
  else next.set(url, progress);
  if (progress === undefined && !waiting.has(url)) return;
  waiting = next;
  for (const listener of listeners) listener();
}

/** All requests that wait now, the same map until something changes. */
export function warming(): ReadonlyMap<string, Warming | null> {
  return waiting;
}

export function onWarming(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** What the body of a 202 says of the progress. */
export function progressOf(body: unknown): Warming | null {
  const progress = (body as { progress?: Partial<Warming> | null } | null)?.progress;
  if (typeof progress?.done !== "number" || typeof progress.unit !== "string") return null;
  return { done: progress.done, total: progress.total ?? null, unit: progress.unit };
}
