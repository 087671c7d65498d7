import { useEffect, useState } from 'preact/hooks';
import { forgetDraft, readDraft, watchDraft, writeDraft } from '../../ui/forms/drafts.ts';
import { type Draft, draftsFrom, type DraftField, keptOf, secretsOf } from './answers-from.ts';

/**
 * The unfinished answers to a request, by field id; they outlive the page, except for secrets.
 * `change` with null removes one.
 */
export function useAnswerDrafts(requestId: string, fields: readonly DraftField[]) {
  const name = `answer.${requestId}`;
  const [drafts, setDrafts] = useState(() => draftsFrom(fields, readDraft(name)));
  const change = (id: string, draft: Draft | null) => {
    const others = Object.entries(drafts).filter(([other]) => other !== id);
    const next = Object.fromEntries(draft === null ? others : [...others, [id, draft]]);
    setDrafts(next);
    writeDraft(name, keptOf(fields, next));
  };
  // Secrets are not synchronized from other tabs, so a typed one stays.
  useEffect(
    () =>
      watchDraft(name, () =>
        setDrafts((before) => ({
          ...secretsOf(fields, before),
          ...draftsFrom(fields, readDraft(name)),
        })),
      ),
    [name, fields],
  );
  return { drafts, change, forget: () => forgetDraft(name) };
}
