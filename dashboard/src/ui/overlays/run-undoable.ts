import { sharedValue } from '../shared-value.ts';

/** What is about to happen: it does so unless a person takes it back in time. */
type UndoableAction = {
  /** What it is done to, by name. A later deed on the same thing takes the place of this one. */
  about: readonly string[];
  /** Says what will happen to these. */
  words: (about: readonly string[]) => string;
  /** Does it, and tells what came of it. */
  run: (about: readonly string[]) => Promise<unknown>;
  /** Does it with one of them while the page goes away: nobody is told, and nothing is awaited. */
  leave: (one: string) => Promise<unknown>;
  /** Where these stand once it is done, for who shows that already. */
  to?: string;
};

export type Pending = UndoableAction & { id: number };

/** As long as a deed can be taken back. */
const UNDO_MS = 10_000;

const pending = sharedValue<readonly Pending[]>([]);
let nextId = 1;
const timers = new Map<number, ReturnType<typeof setTimeout>>();

/** Does something ten seconds from now, wherever the person has gone on this page by then. */
export function runUndoable(deed: UndoableAction): void {
  supersede(deed.about);
  const id = nextId++;
  pending.set([...pending.get(), { ...deed, id }]);
  timers.set(
    id,
    setTimeout(() => runNow(id), UNDO_MS),
  );
}

/** The last word counts: whatever was about to happen to these things does not. */
export function supersede(things: readonly string[]): void {
  const left = pending.get().map((one) => ({ ...one, about: without(one.about, things) }));
  for (const { id, about } of left) if (about.length === 0) stopTimer(id);
  pending.set(left.filter(({ about }) => about.length > 0));
}

/** Takes a deed back before it is done; without a number, the last one. */
export function undo(id = pending.get().at(-1)?.id): void {
  if (id !== undefined) remove(id);
}

/** Does at once what would be done in some seconds. */
export function runNow(id: number): void {
  const deed = remove(id);
  if (deed !== undefined) void deed.run(deed.about);
}

/** What is about to happen at this moment, the oldest first. */
export const usePendingActions = pending.useValue;

/**
 * Who leaves the page has seen what was about to happen and not taken it back, so it is done; its
 * requests have to outlive the page. Returns what stops this.
 */
export function runAllOnLeave(page: EventTarget = globalThis): () => void {
  const leave = () => {
    const left = pending.get();
    for (const { id } of left) stopTimer(id);
    pending.set([]);
    // What the service says to it then, nobody is there to read.
    for (const { about, leave: ask } of left) void Promise.allSettled(about.map(ask));
  };
  // A page that is put aside may be thrown away without a further word.
  const ends = ['pagehide', 'freeze'];
  for (const end of ends) page.addEventListener(end, leave);
  return () => ends.forEach((end) => page.removeEventListener(end, leave));
}

function remove(id: number): Pending | undefined {
  const deed = pending.get().find((one) => one.id === id);
  stopTimer(id);
  if (deed !== undefined) pending.set(pending.get().filter((one) => one !== deed));
  return deed;
}

function stopTimer(id: number): void {
  clearTimeout(timers.get(id));
  timers.delete(id);
}

function without(all: readonly string[], taken: readonly string[]): string[] {
  return all.filter((one) => !taken.includes(one));
}
