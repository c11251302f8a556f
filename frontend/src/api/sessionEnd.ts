/** When the session ends: by itself if nobody is there, in any case, or that it has ended. Times as of `Date.now()`. */
export interface SessionEnd {
  readonly idleAt: number;
  readonly lastAt: number;
  readonly ended: boolean;
}

const UNATTENDED_MILLIS = 60_000;
const SIGNS = ["keydown", "pointerdown", "pointermove", "wheel", "touchstart"] as const;

let known: SessionEnd | null = null;
let seenAt = Date.now();
const listeners = new Set<() => void>();

for (const sign of SIGNS)
  addEventListener(sign, () => (seenAt = Date.now()), { capture: true, passive: true });

/** Whether nobody has touched the page for a minute: what it asks for then is no sign that somebody is there. */
export function isUnattended(): boolean {
  return Date.now() - seenAt > UNATTENDED_MILLIS;
}

/** Notes what a reply's `Session` header says: `idle=600, last=7200`, in seconds from now. */
export function noteSession(header: string | null): void {
  const seconds = /^idle=(\d+), last=(\d+)$/.exec(header ?? "");
  if (seconds === null) return;
  const now = Date.now();
  note({ idleAt: now + Number(seconds[1]) * 1000, lastAt: now + Number(seconds[2]) * 1000, ended: false });
}

/** Notes that nobody is signed in any more. */
export function noteSessionEnded(): void {
  note({ idleAt: 0, lastAt: 0, ended: true });
}

/** What is known, the same object until something changes; null until the first reply. */
export function sessionEnd(): SessionEnd | null {
  return known;
}

export function onSessionEnd(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function note(next: SessionEnd): void {
  known = next;
  for (const listener of listeners) listener();
}
