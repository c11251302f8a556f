/**
 * Which element of the page shows which row: scrolling changes what elements show, rather than making others.
 *
 * A row keeps its element as long as it is in view. One that comes into view takes over that of one that has left, but
 * only while the list is the same: what a cell remembers, such as an open menu, never passes to what another answer
 * brought. The row with the focus is always in view, so what somebody uses is never taken over.
 */
export class RowSlots {
  #list: unknown = null;
  #slots: ReadonlyMap<string, number> = new Map();
  #made = 0;

  /** The slots of the rows in view, in their order. The same rows of the same list get the same again. */
  of(list: unknown, keys: readonly string[]): number[] {
    const inView = new Set(keys);
    const free: number[] = [];
    if (list === this.#list) for (const [key, slot] of this.#slots) if (!inView.has(key)) free.push(slot);
    const next = new Map<string, number>();
    for (const key of keys) next.set(key, this.#slots.get(key) ?? free.pop() ?? this.#made++);
    this.#list = list;
    this.#slots = next;
    return keys.map((key) => next.get(key) ?? 0);
  }
}
