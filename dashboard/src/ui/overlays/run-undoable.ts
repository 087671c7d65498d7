import { sharedValue } from '../shared-value.ts';

/** A pending action, which runs unless a person undoes it in time. */
type UndoableAction = {
  /**
   * Names of the affected things. A later action on one of them takes that thing from this action.
   */
  about: readonly string[];
  /** The text of what will happen to these things. */
  text: (about: readonly string[]) => string;
  /** Runs the action and reports its result. */
  run: (about: readonly string[]) => Promise<unknown>;
  /** Runs the action for one thing while the page is left: nothing is reported or awaited. */
  leave: (one: string) => Promise<unknown>;
  /** State of the things after the action, for views that already show it. */
  to?: string;
};

export type Pending = UndoableAction & { id: number };

/** Undo period of an action. */
const UNDO_MS = 10_000;

const pending = sharedValue<readonly Pending[]>([]);
let nextId = 1;
const timers = new Map<number, ReturnType<typeof setTimeout>>();

/** Runs an action in ten seconds, wherever the person is on this page by then. */
export function runUndoable(deed: UndoableAction): void {
  supersede(deed.about);
  const id = nextId++;
  pending.set([...pending.get(), { ...deed, id }]);
  timers.set(
    id,
    setTimeout(() => runNow(id), UNDO_MS),
  );
}

/** Cancels the pending actions on these things: the latest action counts. */
export function supersede(things: readonly string[]): void {
  const left = pending.get().map((one) => ({ ...one, about: without(one.about, things) }));
  for (const { id, about } of left) if (about.length === 0) stopTimer(id);
  pending.set(left.filter(({ about }) => about.length > 0));
}

/** Cancels a pending action; without an id, the last one. */
export function undo(id = pending.get().at(-1)?.id): void {
  if (id !== undefined) remove(id);
}

/** Runs a pending action at once. */
export function runNow(id: number): void {
  const deed = remove(id);
  if (deed !== undefined) void deed.run(deed.about);
}

/** The pending actions, the oldest first. */
export const usePendingActions = pending.useValue;

/**
 * Runs all pending actions when the page is left, since the person has seen them and not undone
 * them; their requests must outlive the page. Returns a function that removes the handler.
 */
export function runAllOnLeave(page: EventTarget = globalThis): () => void {
  const leave = () => {
    const left = pending.get();
    for (const { id } of left) stopTimer(id);
    pending.set([]);
    // Nobody is left to read the service's response.
    for (const { about, leave: ask } of left) void Promise.allSettled(about.map(ask));
  };
  // A frozen page may be discarded without a further event.
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
