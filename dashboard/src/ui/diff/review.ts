import { cutText } from '@switchyard/shared/text/cut-text';

/** What a person says about one line of a diff. */
export type LineComment = {
  id: number;
  path: string;
  /** The number on the side that the line stands on. */
  line: number;
  side: 'old' | 'new';
  /** The line itself, so that the words make sense when numbers have changed. */
  code: string;
  text: string;
};

/** Where a comment belongs. */
export type LinePlace = Pick<LineComment, 'path' | 'line' | 'side'>;

/** Lets people comment lines; what becomes of the comments is not the diff's matter. */
export type Review = {
  comments: readonly LineComment[];
  onAdd: (comment: Omit<LineComment, 'id'>) => void;
  onRemove: (id: number) => void;
  /** What is being written about a line and not yet added: empty where nothing is. */
  draftOf: (place: LinePlace) => string;
  onDraft: (place: LinePlace, text: string) => void;
  /** Sends one at once, where somebody hears it. */
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
