import { cutText } from '@switchyard/shared/text/cut-text';

/** A person's comment on one line of a diff. */
export type LineComment = {
  id: number;
  path: string;
  /** Number of the line on its side. */
  line: number;
  side: 'old' | 'new';
  /** Text of the line, so that the comment makes sense when numbers have changed. */
  code: string;
  text: string;
};

/** The line of a comment. */
export type LinePlace = Pick<LineComment, 'path' | 'line' | 'side'>;

/** Lets people comment on lines; the owner of the diff stores and sends the comments. */
export type Review = {
  comments: readonly LineComment[];
  onAdd: (comment: Omit<LineComment, 'id'>) => void;
  onRemove: (id: number) => void;
  /** The unfinished comment on a line; empty where there is none. */
  draftOf: (place: LinePlace) => string;
  onDraft: (place: LinePlace, text: string) => void;
  /** Sends one comment at once, where an agent can receive it. */
  sending?: { label: string; onSend: (comment: Omit<LineComment, 'id'>) => void };
};

const CODE_CHARS = 160;

/** All comments as one message to the agent. */
export function reviewMessage(comments: readonly Omit<LineComment, 'id'>[]): string {
  const parts = comments.map(({ path, line, side, code, text }) => {
    const where = side === 'old' ? `${path}, removed line ${line}` : `${path}:${line}`;
    return `${where}\n> ${cutText(code.trim(), CODE_CHARS)}\n${text.trim()}`;
  });
  const what = comments.length === 1 ? 'a comment' : `${comments.length} comments`;
  return `A person has read your changes and has ${what}:\n\n${parts.join('\n\n')}`;
}
