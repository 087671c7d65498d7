import { answer, api } from '../../../api/api.ts';
import { setOverlayPath } from '../queries.ts';
import { type Row, rowsAt } from './row-fields.ts';

/** An entry that a person has changed: as it was shown, and as it is to be; null: not there. */
export type RowChange = { before: Row | null; after: Row | null };

/**
 * Changes one entry of a list in the configuration, by its name; the others stay as they are by now.
 * Throws when the entry has become another since it was shown. Returns nothing; `onIndex` is told which
 * entry the service may say something about.
 */
export async function changeRow(
  path: string,
  { before, after }: RowChange,
  onIndex: (index: number) => void = () => {},
): Promise<void> {
  const rows = rowsAt(await answer(api.config.$get({})), path);
  const index = before === null ? rows.length : indexOf(rows, before);
  onIndex(index);
  await setOverlayPath(path, rows.toSpliced(index, 1, ...(after === null ? [] : [after])));
}

function indexOf(rows: readonly Row[], shown: Row): number {
  const index = rows.findIndex((row) => JSON.stringify(row) === JSON.stringify(shown));
  if (index >= 0) return index;
  throw new Error(
    `${String(shown['name'])} was changed or removed meanwhile, so nothing was saved. Close this and look at it again.`,
  );
}
