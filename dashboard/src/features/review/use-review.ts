import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type Draft, readDraft, watchDraft, writeDraft } from '../../ui/forms/drafts.ts';
import type { LineComment, LinePlace, Review } from '../../ui/diff/review.ts';

/** Among the drafts the comments have this field; each line that is being written about has its own. */
const COMMENTS = 'comments';

type Kept = Review & { onSent: () => void };

/**
 * What a person has said of an issue's lines and not yet sent: kept in this browser, and the same
 * on each page that shows the change.
 */
export function useReview(identifier: string): Kept {
  const name = `review.${identifier}`;
  const [state, setState] = useState(() => ({ name, draft: readDraft(name) }));
  const draft = state.name === name ? state.draft : readDraft(name);
  // What was added a moment before must stay, also where nothing can be stored.
  const latest = useRef(draft);
  latest.current = draft;
  // What another tab adds is not overwritten by this one.
  useLayoutEffect(() => watchDraft(name, () => setState({ name, draft: readDraft(name) })), [name]);
  const comments = commentsIn(draft);
  const change = (field: string, text: string) => {
    const { [field]: _before, ...others } = latest.current;
    const next = text === '' ? others : { ...others, [field]: text };
    latest.current = next;
    writeDraft(name, next);
    setState({ name, draft: next });
  };
  const setComments = (next: LineComment[]) =>
    change(COMMENTS, next.length === 0 ? '' : JSON.stringify(next));
  return {
    comments,
    onAdd: (comment) =>
      setComments([...comments, { ...comment, id: (comments.at(-1)?.id ?? 0) + 1 }]),
    onRemove: (id) => setComments(comments.filter((comment) => comment.id !== id)),
    onSent: () => setComments([]),
    draftOf: (place) => draft[fieldOf(place)] ?? '',
    onDraft: (place, text) => change(fieldOf(place), text),
  };
}

const fieldOf = ({ path, side, line }: LinePlace) => `${side} ${line} ${path}`;

function commentsIn(draft: Draft): LineComment[] {
  try {
    const kept: unknown = JSON.parse(draft[COMMENTS] ?? '[]');
    return Array.isArray(kept) ? (kept as LineComment[]) : [];
  } catch {
    return [];
  }
}
