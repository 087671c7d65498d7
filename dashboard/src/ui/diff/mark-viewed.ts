import type { DiffFile } from './parse-diff.ts';
import { readStoredJson, writeStored } from '../stored.ts';

const KEY = 'switchyard.viewed-files';
/** Number of stored marks; beyond it the oldest are removed. */
const KEPT_MAX = 2_000;

/**
 * A key for a file's current change: after a further change it no longer counts as viewed. Files
 * with equal keys count as one, so that one may be shown as viewed by mistake.
 */
export function viewedKey(file: DiffFile): string {
  const modes = file.oldMode === null && file.newMode === null ? [] : [file.oldMode, file.newMode];
  const text = JSON.stringify([file.path, file.oldPath, file.change, file.hunks, ...modes]);
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return `${(hash >>> 0).toString(36)}.${text.length.toString(36)}`;
}

/** Keys of the files that were marked as viewed in this browser. */
export function readViewed(): ReadonlySet<string> {
  const kept = readStoredJson(KEY);
  const keys: unknown[] = Array.isArray(kept) ? kept : [];
  return new Set(keys.filter((key) => typeof key === 'string'));
}

/** Sets or removes a file's mark; returns all marked keys. */
export function markViewed(key: string, { viewed }: { viewed: boolean }): ReadonlySet<string> {
  const others = [...readViewed()].filter((one) => one !== key);
  const next = (viewed ? [...others, key] : others).slice(-KEPT_MAX);
  writeStored(KEY, JSON.stringify(next));
  return new Set(next);
}
