import type { OnUnreadable } from '../../ports/tracker/unreadable-record.ts';
import { linearIds } from './in-scope.ts';

/**
 * Reads records by id in batches. Ids that are not Linear's, and deleted records, are left out. An
 * unreadable record without an id may be any of the missing ones, so then none of them counts as
 * deleted.
 */
export async function byIds<Row extends { id: string }>(
  ids: readonly string[],
  { atOnce, onUnreadable }: { atOnce: number; onUnreadable: OnUnreadable },
  read: (some: string[], onUnreadable: OnUnreadable) => Promise<Row[]>,
): Promise<Row[]> {
  const wanted = linearIds(ids);
  const rows: Row[] = [];
  for (let from = 0; from < wanted.length; from += atOnce) {
    const some = wanted.slice(from, from + atOnce);
    const missing = new Set(some);
    let nameless: string | null = null;
    const found = await read(some, (record) => {
      if (record.id === null) nameless ??= record.problem;
      else missing.delete(record.id);
      if (record.id !== null) onUnreadable(record);
    });
    for (const { id } of found) missing.delete(id);
    if (nameless !== null)
      for (const id of missing) onUnreadable({ id, name: null, problem: nameless });
    rows.push(...found);
  }
  return rows;
}
