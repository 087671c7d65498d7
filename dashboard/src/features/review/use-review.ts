import { useState } from 'preact/hooks';
import type { LineComment, Review } from '../../ui/diff/review.ts';

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
    writeComments(key, next);
    setState({ key, comments: next });
  };
  return {
    comments,
    onAdd: (comment) => change([...comments, { ...comment, id: (comments.at(-1)?.id ?? 0) + 1 }]),
    onRemove: (id) => change(comments.filter((comment) => comment.id !== id)),
    onSent: () => change([]),
  };
}

/** Without a place to keep them, they last as long as the page. */
function readComments(key: string): LineComment[] {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(key) ?? '[]');
    return Array.isArray(kept) ? (kept as LineComment[]) : [];
  } catch {
    return [];
  }
}

function writeComments(key: string, comments: readonly LineComment[]): void {
  try {
    if (comments.length === 0) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, JSON.stringify(comments));
  } catch {
    sessionStorage.removeItem(key);
  }
}
