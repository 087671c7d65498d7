import type { ResultSet, Row } from '@libsql/client';
import type { SqlValue } from './sql-value.ts';

/** What a statement answered, as plain values that can be passed between objects of a platform. */
export type StoredResult = { columns: string[]; rows: SqlValue[][]; rowsAffected: number };

/** The same as the client library gives it: rows with their values by name and by place. */
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
    // Places are hidden from loops, so that each value is found once.
    Object.defineProperty(row, place, { value });
    const name = columns[place];
    if (name !== undefined && !Object.hasOwn(row, name))
      Object.defineProperty(row, name, { value, enumerable: true });
  }
  return row as Row;
}
