import { createHash } from 'node:crypto';
import type { Value } from '@libsql/client';
import type { DataEndpoint } from './data-endpoint.ts';
import type { CopiedTable } from './list-tables.ts';
import { BEFORE_FIRST, type NumberedRow, readPage } from './read-page.ts';

export type TableDigest = { rows: number; sha256: string };

/**
 * Number of rows and one SHA-256 over all of them, including their types. `seen` is called after
 * each page.
 */
export async function digestTable(
  endpoint: DataEndpoint,
  table: CopiedTable,
  translate: (row: NumberedRow) => Promise<NumberedRow>,
  seen: (rows: number) => void,
): Promise<TableDigest> {
  const hash = createHash('sha256').update(JSON.stringify(table.columns));
  let rows = 0;
  let after = BEFORE_FIRST;
  for (;;) {
    const page = await readPage(endpoint, table, after);
    const last = page.at(-1);
    if (last === undefined) return { rows, sha256: hash.digest('hex') };
    for (const row of page) {
      const { rowid, values } = await translate(row);
      hash.update(`\n${JSON.stringify([rowid, ...values].map(tagged))}`);
    }
    after = last.rowid;
    rows += page.length;
    seen(page.length);
  }
}

function tagged(value: Value): unknown {
  if (typeof value === 'bigint') return ['i', value.toString()];
  if (value instanceof ArrayBuffer) {
    return ['b', createHash('sha256').update(new Uint8Array(value)).digest('hex')];
  }
  return value;
}
