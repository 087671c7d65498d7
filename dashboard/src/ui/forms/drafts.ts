import { recordOf } from '../../format/text-of.ts';
import { readStored, readStoredJson, writeStored } from '../stored.ts';

const PREFIX = 'switchyard.draft.';
const ALL_FORGOTTEN = 'switchyard:drafts-forgotten';
/** The oldest gives way. */
const DRAFTS_MAX = 50;
/** One that is longer is not kept: browsers give a site some 5 MB. */
const DRAFT_MAX_CHARS = 200_000;
/** An address may hold a password; a text with one is not written down. */
const HOLDS_SECRET = /:\/\/[^/\s]*@/;

/** Texts that a person has typed and not sent, by the name of their field. */
export type Draft = Readonly<Record<string, string>>;

/** What this browser keeps under a name, in all its tabs; nothing where it keeps nothing. */
export function readDraft(name: string): Draft {
  const fields = Object.entries(recordOf(recordOf(readStoredJson(PREFIX + name))['fields']));
  return Object.fromEntries(
    fields.flatMap(([field, text]) => (typeof text === 'string' ? [[field, text]] : [])),
  );
}

/** Keeps a draft; one without a field is forgotten. */
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

/** For the end of a session: the next person at this browser reads none of it, on this page either. */
export function forgetDrafts(): void {
  for (const key of draftKeys()) writeStored(key, null);
  dispatchEvent(new Event(ALL_FORGOTTEN));
}

/**
 * Calls back when another tab has changed or forgotten a draft, and when all are forgotten; returns
 * what ends that.
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

/** Without texts that hold an address with a password. */
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
