import type { RefObject } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
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
