import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type Draft, readDraft, watchDraft, writeDraft } from '../../ui/forms/drafts.ts';
import { recordOf } from '../../format/text-of.ts';
import type { LineComment, LinePlace, Review } from '../../ui/diff/review.ts';

/**
 * Prefix of a draft's field for one comment. Each comment, and each line with an unfinished one,
 * has its own field, so that one that may not be stored does not affect the others.
 */
const COMMENT = 'comment ';

type Kept = Review & { onSent: () => void };

/**
 * A person's unsent comments on an issue's lines: stored in this browser, and shared by all pages
 * that show the change.
 */
export function useReview(identifier: string): Kept {
  const name = `review.${identifier}`;
  const [state, setState] = useState(() => ({ name, draft: readDraft(name) }));
  const draft = state.name === name ? state.draft : readDraft(name);
  // A comment added a moment ago must be kept, also where nothing can be stored.
  const latest = useRef(draft);
  latest.current = draft;
  // Does not overwrite what another tab adds.
  useLayoutEffect(() => watchDraft(name, () => setState({ name, draft: readDraft(name) })), [name]);
  const comments = commentsIn(draft);
  const change = (next: Draft) => {
    latest.current = next;
    writeDraft(name, next);
    setState({ name, draft: next });
  };
  const changeField = (field: string, text: string) => {
    const { [field]: _before, ...others } = latest.current;
    change(text === '' ? others : { ...others, [field]: text });
  };
  return {
    comments,
    onAdd: (comment) => {
      const id = (commentsIn(latest.current).at(-1)?.id ?? 0) + 1;
      changeField(`${COMMENT}${id}`, JSON.stringify({ ...comment, id }));
    },
    onRemove: (id) => changeField(`${COMMENT}${id}`, ''),
    onSent: () =>
      change(
        Object.fromEntries(
          Object.entries(latest.current).filter(([field]) => !field.startsWith(COMMENT)),
        ),
      ),
    draftOf: (place) => draft[fieldOf(place)] ?? '',
    onDraft: (place, text) => changeField(fieldOf(place), text),
  };
}

const fieldOf = ({ path, side, line }: LinePlace) => `${side} ${line} ${path}`;

function commentsIn(draft: Draft): LineComment[] {
  return Object.entries(draft)
    .flatMap(([field, json]) => (field.startsWith(COMMENT) ? commentFrom(json) : []))
    .toSorted((a, b) => a.id - b.id);
}

function commentFrom(json: string): LineComment[] {
  try {
    const kept: unknown = JSON.parse(json);
    return typeof recordOf(kept)['id'] === 'number' ? [kept as LineComment] : [];
  } catch {
    return [];
  }
}
