import { AppError } from '../errors.ts';

/** Where a page ended: the next one begins with what is older. */
export type PagePosition = { atMs: number; id: string };

/** A cursor for clients, who must not read anything into it. */
export function toCursor({ atMs, id }: PagePosition): string {
  return btoa(`${atMs}.${id}`).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** The position of a cursor; null without one. 400 for one that was not made here. */
export function fromCursor(cursor: string | undefined): PagePosition | null {
  if (cursor === undefined) return null;
  let text = '';
  try {
    text = atob(cursor.replaceAll('-', '+').replaceAll('_', '/'));
  } catch {
    text = '';
  }
  const match = /^(\d{1,15})\.([\x21-\x7e]{1,200})$/.exec(text);
  if (match === null) {
    throw new AppError('bad_request', 'cursor is not one of ours', {
      details: [{ path: 'cursor', message: 'take nextCursor of the page before' }],
    });
  }
  return { atMs: Number(match[1]), id: match[2] ?? '' };
}
