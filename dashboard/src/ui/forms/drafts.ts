import { recordOf } from '../../format/text-of.ts';
import { readStored, readStoredJson, writeStored } from '../stored.ts';

const PREFIX = 'switchyard.draft.';
const ALL_FORGOTTEN = 'switchyard:drafts-forgotten';
/** Number of stored drafts; beyond it the oldest is removed. */
const DRAFTS_MAX = 50;
/** A longer draft is not stored: browsers give a site some 5 MB. */
const DRAFT_MAX_CHARS = 200_000;
/** An address with a password; a text that contains one is not stored. */
const HOLDS_SECRET = /:\/\/[^/\s]*@/;

/** Unsent texts of a person, by the name of their field. */
export type Draft = Readonly<Record<string, string>>;

/**
 * The draft stored under a name, shared by all tabs of this browser; empty where none is stored.
 */
export function readDraft(name: string): Draft {
  const fields = Object.entries(recordOf(recordOf(readStoredJson(PREFIX + name))['fields']));
  return Object.fromEntries(
    fields.flatMap(([field, text]) => (typeof text === 'string' ? [[field, text]] : [])),
  );
}

/** Stores a draft; one without fields is deleted. */
export function writeDraft(name: string, draft: Draft): void {
  const fields = withoutSecrets(draft);
  const key = PREFIX + name;
  const json = JSON.stringify({ atMs: Date.now(), fields });
  if (Object.keys(fields).length === 0 || json.length > DRAFT_MAX_CHARS) return forgetDraft(name);
  if (readStored(key) === null) makeRoom();
  writeStored(key, json);
}

export function forgetDraft(name: string): void {
  writeStored(PREFIX + name, null);
}

/**
 * Deletes all drafts at the end of a session, also on this page: the next person at this browser
 * must not read them.
 */
export function forgetDrafts(): void {
  for (const key of draftKeys()) writeStored(key, null);
  dispatchEvent(new Event(ALL_FORGOTTEN));
}

/**
 * Subscribes to changes of a draft by other tabs, and to the deletion of all; returns the function
 * that unsubscribes.
 */
export function watchDraft(name: string, onChange: () => void): () => void {
  const onStorage = (event: StorageEvent) => {
    if (event.key === PREFIX + name) onChange();
  };
  addEventListener('storage', onStorage);
  addEventListener(ALL_FORGOTTEN, onChange);
  return () => {
    removeEventListener('storage', onStorage);
    removeEventListener(ALL_FORGOTTEN, onChange);
  };
}

/** The draft without texts that contain an address with a password. */
export function withoutSecrets(draft: Draft): Draft {
  return Object.fromEntries(Object.entries(draft).filter(([, text]) => !HOLDS_SECRET.test(text)));
}

function makeRoom(): void {
  const keptAtMs = (key: string) => Number(recordOf(readStoredJson(key))['atMs'] ?? 0);
  const oldestFirst = draftKeys()
    .map((key) => ({ key, atMs: keptAtMs(key) }))
    .toSorted((a, b) => a.atMs - b.atMs);
  const surplus = oldestFirst.slice(0, Math.max(0, oldestFirst.length - DRAFTS_MAX + 1));
  for (const { key } of surplus) writeStored(key, null);
}

function draftKeys(): string[] {
  try {
    return Object.keys(localStorage).filter((key) => key.startsWith(PREFIX));
  } catch {
    return [];
  }
}
