import type { Row, Value } from '@libsql/client';
import type { DataEndpoint } from './data-endpoint.ts';
import { type CopiedTable, quoted } from './list-tables.ts';

/** A row with its number, from which an interrupted transfer resumes. */
export type NumberedRow = { rowid: bigint; values: Value[] };

/** Rows per page; even the widest table stays far below SQLite's 32,766 values per statement. */
const PAGE_ROWS = 250;
/**
 * Characters and bytes per page without its last row; the largest row is a part of a blob, 1 MiB.
 */
const PAGE_SIZE = 1_048_576;

/** The next rows of a table in the order of their numbers; empty at the end. */
export async function readPage(
  endpoint: DataEndpoint,
  table: CopiedTable,
  after: bigint,
): Promise<NumberedRow[]> {
  const columns = table.columns.map(quoted);
  const size = columns.map((column) => `coalesce(length(${column}), 0)`).join(' + ');
  const { rows } = await endpoint.read(
    `with page as (
        select rowid as "number", ${size} as size from ${quoted(table.name)}
        where rowid > ? order by rowid limit ${PAGE_ROWS}),
      sums as (select "number", sum(size) over (order by "number") - size as before from page)
      select rowid as "__rowid", ${columns.join(', ')} from ${quoted(table.name)}
      where rowid in (select "number" from sums where before < ${PAGE_SIZE}) order by rowid`,
    [after],
  );
  return rows.map(numbered);
}

/** Row number that reading starts after: the lowest possible one, since keys may be negative. */
export const BEFORE_FIRST = -(2n ** 63n);

function numbered(row: Row): NumberedRow {
  const values = Array.from({ length: row.length }, (_, place) => row[place] ?? null);
  const [rowid, ...rest] = values;
  if (typeof rowid !== 'bigint') throw new TypeError('a row has no number');
  return { rowid, values: rest };
}
