import { and, type Column, eq, lt, or, type SQL } from 'drizzle-orm';
import { AppError } from '../errors.ts';

/** The position after which the next page begins. */
export type PagePosition = { atMs: number; id: string };

/** The condition for rows of the page after a position, newest first; undefined: the first page. */
export function olderThan(after: PagePosition | null, atMs: Column, id: Column): SQL | undefined {
  if (after === null) return undefined;
  return or(lt(atMs, after.atMs), and(eq(atMs, after.atMs), lt(id, after.id)));
}

/** A page of the rows that were read; one row more than `limit` means that there is a next page. */
export function pageOf<Row>(rows: Row[], limit: number): { rows: Row[]; more: boolean } {
  return { rows: rows.slice(0, limit), more: rows.length > limit };
}

/** The cursor of the next page; null at the end. */
export function nextCursor<Row>(
  page: { rows: Row[]; more: boolean },
  positionOf: (row: Row) => PagePosition,
): string | null {
  const last = page.more ? page.rows.at(-1) : undefined;
  return last === undefined ? null : toCursor(positionOf(last));
}

/** An opaque cursor for clients. */
function toCursor({ atMs, id }: PagePosition): string {
  return btoa(`${atMs}.${id}`).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** The position of a cursor; null without one. Throws a 400 for an invalid one. */
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
