import { useState } from 'preact/hooks';
import type { LineComment, Review } from '../../ui/diff/review.ts';
import { readStoredJson, writeStored } from '../../ui/stored.ts';

const PREFIX = 'switchyard.review.';

type Kept = Review & { onSent: () => void };

/**
 * What a person has said of an issue's lines and not yet sent: kept for this window, and the same
 * on each page that shows the change.
 */
export function useReview(identifier: string): Kept {
  const key = `${PREFIX}${identifier}`;
  const [state, setState] = useState(() => ({ key, comments: readComments(key) }));
  const comments = state.key === key ? state.comments : readComments(key);
  const change = (next: LineComment[]) => {
    writeStored(key, next.length === 0 ? null : JSON.stringify(next), 'sessionStorage');
    setState({ key, comments: next });
  };
  return {
    comments,
    onAdd: (comment) => change([...comments, { ...comment, id: (comments.at(-1)?.id ?? 0) + 1 }]),
    onRemove: (id) => change(comments.filter((comment) => comment.id !== id)),
    onSent: () => change([]),
  };
}

function readComments(key: string): LineComment[] {
  const kept = readStoredJson(key, 'sessionStorage');
  return Array.isArray(kept) ? (kept as LineComment[]) : [];
}
