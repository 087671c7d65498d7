import { useSyncExternalStore } from 'preact/compat';
import { readStoredJson, writeStored } from '../../ui/stored.ts';
import { recordOf } from '../../format/text-of.ts';

export type BoardFilter = { q?: string; need?: string };
export type SavedView = { name: string; filter: BoardFilter };

const KEY = 'switchyard.saved-views';
const SAVED_VIEWS_MAX = 20;
export const NAME_MAX_CHARS = 60;

let views: readonly SavedView[] | null = null;
const listeners = new Set<() => void>();

/**
 * Filters of the board that are saved in this browser by name, in the order in which they were
 * saved.
 */
export function useSavedViews(): readonly SavedView[] {
  return useSyncExternalStore(subscribe, savedViews);
}

function savedViews(): readonly SavedView[] {
  views ??= read();
  return views;
}

/** Saves a filter under a name; replaces one with the same name, and at the limit the oldest. */
export function saveView(view: SavedView): void {
  const others = savedViews().filter(({ name }) => name !== view.name);
  keep([...others, view].slice(-SAVED_VIEWS_MAX));
}

export function removeView(name: string): void {
  keep(savedViews().filter((view) => view.name !== name));
}

/** Whether two filters are equal. */
export function sameFilter(a: BoardFilter, b: BoardFilter): boolean {
  return (a.q ?? '') === (b.q ?? '') && (a.need ?? '') === (b.need ?? '');
}

/**
 * The valid views in stored data, which another version of this page or anybody may have written.
 */
export function viewsFrom(stored: unknown): SavedView[] {
  if (!Array.isArray(stored)) return [];
  return stored.flatMap((view: unknown) => {
    const { name, filter } = recordOf(view);
    if (typeof name !== 'string' || name === '' || name.length > NAME_MAX_CHARS) return [];
    const { q, need } = recordOf(filter);
    const query = typeof q === 'string' ? { q } : {};
    const needed = typeof need === 'string' ? { need } : {};
    return [{ name, filter: { ...query, ...needed } }];
  });
}

function read(): SavedView[] {
  return viewsFrom(readStoredJson(KEY)).slice(-SAVED_VIEWS_MAX);
}

function keep(next: readonly SavedView[]): void {
  views = next;
  writeStored(KEY, JSON.stringify(next));
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  const onStorage = (event: StorageEvent) => {
    if (event.key !== KEY) return;
    views = null;
    listener();
  };
  listeners.add(listener);
  addEventListener('storage', onStorage);
  return () => {
    listeners.delete(listener);
    removeEventListener('storage', onStorage);
  };
}
