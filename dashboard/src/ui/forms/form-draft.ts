import type { RefObject } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import { sharedValue } from '../shared-value.ts';
import { readStoredJson, writeStored } from '../stored.ts';
import { recordOf } from '../../format/text-of.ts';

const PREFIX = 'switchyard.draft.';
/** An address may hold a password; one that does is not written down. */
const HOLDS_SECRET = /:\/\/[^/\s]*@/;

type Draft = Record<string, string>;
type Named = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/**
 * Keeps what is typed into a form, for this window and until it is forgotten: leaving and reloading
 * lose nothing. Never a password field. Returns what forgets it.
 */
export function useFormDraft(form: RefObject<HTMLFormElement | null>, name: string): () => void {
  const key = `${PREFIX}${name}`;
  useLayoutEffect(() => {
    const element = form.current;
    if (element === null) return;
    const draft = readDraft(key);
    for (const field of textFields(element)) {
      const text = draft[field.name];
      if (text !== undefined) field.value = text;
    }
    const keep = () => writeDraft(key, draftOf(textFields(element)));
    element.addEventListener('input', keep);
    return () => element.removeEventListener('input', keep);
  }, [form, key]);
  return () => sessionStorage.removeItem(key);
}

/** As a state, of which the last choice is kept for this window. */
export function useDraftChoice<T extends string>(
  name: string,
  options: readonly T[],
  initial: T,
): [T, (choice: T) => void] {
  const key = `${PREFIX}${name}`;
  const [choice, setChoice] = useState<T>(
    () => options.find((option) => option === readDraft(key)['choice']) ?? initial,
  );
  const choose = (next: T) => {
    writeDraft(key, { choice: next });
    setChoice(next);
  };
  return [choice, choose];
}

/** Texts that are being written, by the name of their draft; whatever shows one shows it as it is. */
const texts = sharedValue<Readonly<Record<string, string>>>({});

/** A text that is kept for this window until it is sent, wherever on the page its field stands. */
export function useDraftText(name: string): [string, (text: string) => void] {
  // Drawn again with every change, of whatever text: few are written at once.
  texts.useValue();
  return [draftText(name), (next) => keepText(name, next)];
}

function keepText(name: string, text: string): void {
  const key = `${PREFIX}${name}`;
  const { [name]: _former, ...others } = texts.get();
  if (text === '') writeStored(key, null, 'sessionStorage');
  else writeDraft(key, draftOf([{ name: 'text', value: text }]));
  texts.set(text === '' ? others : { ...others, [name]: text });
}

/** The text of a draft as it stands now. */
export function draftText(name: string): string {
  return texts.get()[name] ?? readDraft(`${PREFIX}${name}`)['text'] ?? '';
}

/** What was typed where; an address with a password in it is left out. */
export function draftOf(fields: readonly Pick<Named, 'name' | 'value'>[]): Draft {
  const kept = fields.filter(({ value }) => !HOLDS_SECRET.test(value));
  return Object.fromEntries(kept.map(({ name, value }) => [name, value]));
}

function textFields(form: HTMLFormElement): Named[] {
  const named = [...form.elements].filter((field) => field.getAttribute('name') !== null);
  return named.filter(
    (field): field is Named =>
      (field instanceof HTMLInputElement && /^(text|url|email|number)$/.test(field.type)) ||
      field instanceof HTMLTextAreaElement ||
      field instanceof HTMLSelectElement,
  );
}

/** Without a place to keep it, a form is just not remembered. */
function readDraft(key: string): Draft {
  return recordOf(readStoredJson(key, 'sessionStorage')) as Draft;
}

function writeDraft(key: string, draft: Draft): void {
  writeStored(key, JSON.stringify(draft), 'sessionStorage');
}
