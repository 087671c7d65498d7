import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { readStored, writeStored } from '../stored.ts';
import { type Draft, forgetDraft, readDraft, watchDraft, writeDraft } from './drafts.ts';

const CHOICE_PREFIX = 'switchyard.choice.';
/** Told to a form when a draft was put into its fields; nobody has typed that. */
export const FORM_FILLED = 'formfilled';

type Named = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/**
 * Keeps what is typed into a form until it is forgotten: leaving, reloading and another tab lose
 * nothing. Never a password field. Returns what forgets it.
 */
export function useFormDraft(form: RefObject<HTMLFormElement | null>, name: string): () => void {
  return useKeptForm(form, name).forget;
}

/** As `useFormDraft`; `kept` says whether there is a draft, `discard` also empties the form. */
export function useKeptForm(
  form: RefObject<HTMLFormElement | null>,
  name: string | null,
): { kept: boolean; forget: () => void; discard: () => void } {
  const initial = useRef<Draft>({});
  const [kept, setKept] = useState(false);
  useLayoutEffect(() => {
    const element = form.current;
    if (element === null || name === null) return;
    initial.current = textsOf(element);
    const show = () => {
      const draft = readDraft(name);
      fill(element, { ...initial.current, ...draft });
      setKept(Object.keys(draft).length > 0);
    };
    const keep = () => {
      const texts = textsOf(element);
      const changed = Object.entries(texts).filter(
        ([field, text]) => text !== (initial.current[field] ?? ''),
      );
      writeDraft(name, Object.fromEntries(changed));
      setKept(changed.length > 0);
    };
    show();
    element.addEventListener('input', keep);
    const unwatch = watchDraft(name, show);
    return () => {
      element.removeEventListener('input', keep);
      unwatch();
    };
  }, [form, name]);
  const forget = () => {
    if (name !== null) forgetDraft(name);
    setKept(false);
  };
  const discard = () => {
    forget();
    if (form.current !== null) fill(form.current, initial.current);
  };
  return { kept, forget, discard };
}

/** Texts as they stand on this page, also those that are not written down; and whoever shows them. */
const typed = new Map<string, string>();
const changes = new EventTarget();

/** The text of a draft as it stands now. */
export function draftText(name: string): string | undefined {
  return typed.get(name) ?? readDraft(name)['text'];
}

/**
 * As a state that is a text, kept as a draft until it is the initial text again; all fields of the
 * name show the same. The last is what forgets it without a change of what is shown.
 */
export function useDraftText(
  name: string,
  initial = '',
): [text: string, setText: (text: string) => void, forget: () => void] {
  const read = () => ({ name, text: draftText(name) ?? initial });
  const [state, setState] = useState(read);
  useLayoutEffect(() => {
    const show = () => setState(read());
    changes.addEventListener(name, show);
    const unwatch = watchDraft(name, () => {
      typed.delete(name);
      show();
    });
    return () => {
      changes.removeEventListener(name, show);
      unwatch();
    };
  }, [name]);
  const setText = (text: string) => {
    if (text === initial) typed.delete(name);
    else typed.set(name, text);
    writeDraft(name, text === initial ? {} : { text });
    changes.dispatchEvent(new Event(name));
  };
  const forget = () => {
    typed.delete(name);
    forgetDraft(name);
  };
  return [state.name === name ? state.text : read().text, setText, forget];
}

/** As a state, of which the last choice is kept for this window. */
export function useDraftChoice<T extends string>(
  name: string,
  options: readonly T[],
  initial: T,
): [T, (choice: T) => void] {
  const key = `${CHOICE_PREFIX}${name}`;
  const [choice, setChoice] = useState<T>(
    () => options.find((option) => option === readStored(key, 'sessionStorage')) ?? initial,
  );
  const choose = (next: T) => {
    writeStored(key, next, 'sessionStorage');
    setChoice(next);
  };
  return [choice, choose];
}

function textsOf(form: HTMLFormElement): Draft {
  return Object.fromEntries(textFields(form).map(({ name, value }) => [name, value]));
}

function fill(form: HTMLFormElement, draft: Draft): void {
  for (const field of textFields(form)) {
    const text = draft[field.name];
    if (text !== undefined) field.value = text;
  }
  form.dispatchEvent(new Event(FORM_FILLED));
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
