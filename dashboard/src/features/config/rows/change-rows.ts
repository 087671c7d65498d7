import { answer, api } from '../../../api/api.ts';
import { setOverlayPath } from '../queries.ts';
import { type Row, rowsAt } from './row-fields.ts';

/** A changed entry of a list: as it was shown, and as it should be; null: absent. */
export type RowChange = { before: Row | null; after: Row | null };

/**
 * Changes one entry of a list in the configuration; the other entries keep their current values.
 * Throws when the entry was changed or removed since it was shown. `onIndex` gets the entry's
 * index, to which errors of the service refer.
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
