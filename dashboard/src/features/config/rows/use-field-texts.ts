import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { FORM_FILLED } from '../../../ui/forms/form-draft.ts';

/** The texts in the named fields of the form around an element, updated while a person types. */
export function useFieldTexts(
  inside: RefObject<HTMLElement | null>,
  initial: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const [texts, setTexts] = useState(initial);
  useEffect(() => {
    const form = inside.current?.closest('form');
    if (!form) return;
    const read = () =>
      setTexts(
        Object.fromEntries(
          [...new FormData(form)].flatMap(([name, text]) =>
            typeof text === 'string' ? [[name, text]] : [],
          ),
        ),
      );
    read();
    const events = ['input', FORM_FILLED];
    for (const event of events) form.addEventListener(event, read);
    return () => {
      for (const event of events) form.removeEventListener(event, read);
    };
  }, [inside]);
  return texts;
}
