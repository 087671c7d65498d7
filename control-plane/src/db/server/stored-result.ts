import type { ResultSet, Row } from '@libsql/client';
import type { SqlValue } from './sql-value.ts';

/** A statement's result as plain values that can be passed between Durable Objects. */
export type StoredResult = { columns: string[]; rows: SqlValue[][]; rowsAffected: number };

/** The result in the client library's form: rows with values by name and by index. */
export function resultSetOf({ columns, rows, rowsAffected }: StoredResult): ResultSet {
  const toJSON = () => ({ columns, rows, rowsAffected });
  return {
    columns,
    columnTypes: [],
    rows: rows.map((values) => rowOf(columns, values)),
    rowsAffected,
    lastInsertRowid: undefined,
    toJSON,
  };
}

function rowOf(columns: readonly string[], values: readonly SqlValue[]): Row {
  const row = {};
  Object.defineProperty(row, 'length', { value: values.length });
  for (const [place, value] of values.entries()) {
    // Indexes are not enumerable, so that each value is enumerated once.
    Object.defineProperty(row, place, { value });
    const name = columns[place];
    if (name !== undefined && !Object.hasOwn(row, name))
      Object.defineProperty(row, name, { value, enumerable: true });
  }
  return row as Row;
}
