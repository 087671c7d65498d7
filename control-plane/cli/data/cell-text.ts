import type { Row, Value } from '@libsql/client';

/** A value of a row as text; empty for null and bytes. */
export function cellText(row: Row, column: string | number): string {
  return valueText(row[column]);
}

export function valueText(value: Value | undefined): string {
  return value === null || value === undefined || value instanceof ArrayBuffer ? '' : `${value}`;
}
