import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { readStored, writeStored } from '../stored.ts';
import { type Draft, forgetDraft, readDraft, watchDraft, writeDraft } from './drafts.ts';

const CHOICE_PREFIX = 'switchyard.choice.';
/** Event for a form whose fields were filled from a draft, not by typing. */
export const FORM_FILLED = 'formfilled';

type Named = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/**
 * Stores a form's content until it is deleted, so that leaving, reloading or another tab loses
 * nothing. Never stores a password field. Returns the function that deletes the draft.
 */
export function useFormDraft(form: RefObject<HTMLFormElement | null>, name: string): () => void {
  return useKeptForm(form, name).forget;
}

/**
 * A form draft as in `useFormDraft`; `kept`: a draft exists; `discard` also restores the form's
 * initial values.
 */
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

/**
 * Texts on this page, including those that may not be stored, and the components that show them.
 */
const typed = new Map<string, string>();
const changes = new EventTarget();

/** The current text of a draft. */
export function draftText(name: string): string | undefined {
  return typed.get(name) ?? readDraft(name)['text'];
}

/**
 * A text state that is stored as a draft until it equals the initial text; all fields with the same
 * name share it. The last element deletes the draft without changing the shown text.
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

/** A state whose last choice is stored for this window. */
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
