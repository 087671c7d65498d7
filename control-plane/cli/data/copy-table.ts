import { setTimeout as delay } from 'node:timers/promises';
import type { InStatement } from '@libsql/client';
import { type DataEndpoint, isTransient } from './data-endpoint.ts';
import { type CopiedTable, quoted } from './list-tables.ts';
import { BEFORE_FIRST, type NumberedRow, readPage } from './read-page.ts';

const MAX_TRIES = 5;
const RETRY_BASE_MS = 250;

export type CopyStep = {
  from: DataEndpoint;
  to: DataEndpoint;
  /** Converts a row for the target. */
  translate: (table: CopiedTable, row: NumberedRow) => Promise<NumberedRow>;
  /** Called after each page; rows from an earlier transfer are not counted. */
  copied: (table: CopiedTable, rows: number) => void;
};

/**
 * Copies a table page by page, each in one transaction, starting after the last row in the target,
 * so that an interrupted transfer resumes. Row numbers are preserved.
 */
export async function copyTable(step: CopyStep, table: CopiedTable): Promise<void> {
  if (table.byTriggers) return replaceRows(step, table);
  let tries = 0;
  for (;;) {
    try {
      const page = await readPage(step.from, table, await lastRow(step.to, table));
      if (page.length === 0) return;
      const rows = await Promise.all(page.map((row) => step.translate(table, row)));
      await step.to.write([insertion(table, rows, 'insert')]);
      step.copied(table, page.length);
      tries = 0;
    } catch (error) {
      // The next turn checks the target, so a page whose response was lost is not sent twice.
      tries += 1;
      if (tries >= MAX_TRIES || !isTransient(error)) throw error;
      await delay(RETRY_BASE_MS * 2 ** tries);
    }
  }
}

/**
 * Replaces all rows of a small table (counters and sums), including those that triggers wrote
 * during the copy.
 */
async function replaceRows(step: CopyStep, table: CopiedTable): Promise<void> {
  const statements: InStatement[] = [`delete from ${quoted(table.name)}`];
  let after = BEFORE_FIRST;
  let total = 0;
  for (;;) {
    const page = await readPage(step.from, table, after);
    const last = page.at(-1);
    if (last === undefined) break;
    statements.push(insertion(table, page, 'insert'));
    total += page.length;
    after = last.rowid;
  }
  await step.to.write(statements);
  step.copied(table, total);
}

async function lastRow(endpoint: DataEndpoint, table: CopiedTable): Promise<bigint> {
  const { rows } = await endpoint.read(`select max(rowid) from ${quoted(table.name)}`);
  const last = rows[0]?.[0];
  return typeof last === 'bigint' ? last : BEFORE_FIRST;
}

function insertion(table: CopiedTable, rows: readonly NumberedRow[], verb: string): InStatement {
  const columns = table.columns.map(quoted);
  if (!table.keyIsRowid) columns.unshift('rowid');
  const marks = `(${columns.map(() => '?').join(', ')})`;
  const args = rows.flatMap(({ rowid, values }) =>
    table.keyIsRowid ? values : [rowid, ...values],
  );
  const places = rows.map(() => marks).join(', ');
  return {
    sql: `${verb} into ${quoted(table.name)} (${columns.join(', ')}) values ${places}`,
    args,
  };
}
