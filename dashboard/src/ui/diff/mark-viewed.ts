import type { DiffFile } from './parse-diff.ts';
import { readStoredJson, writeStored } from '../stored.ts';

const KEY = 'switchyard.viewed-files';
/** The oldest are forgotten first. */
const KEPT_MAX = 2_000;

/**
 * What stands for a file as it is now: one that is changed further has not been viewed. Two that are
 * alike in all of this may be taken for each other, which costs a look and no more.
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

/** Files that were marked in this browser. */
export function readViewed(): ReadonlySet<string> {
  const kept = readStoredJson(KEY);
  const keys: unknown[] = Array.isArray(kept) ? kept : [];
  return new Set(keys.filter((key) => typeof key === 'string'));
}

/** Marks a file or takes the mark back; answers all that are marked. */
export function markViewed(key: string, { viewed }: { viewed: boolean }): ReadonlySet<string> {
  const others = [...readViewed()].filter((one) => one !== key);
  const next = (viewed ? [...others, key] : others).slice(-KEPT_MAX);
  writeStored(KEY, JSON.stringify(next));
  return new Set(next);
}
