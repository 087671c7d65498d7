import { recordOf } from '../../../format/text-of.ts';
import { valueAt } from '../value-at.ts';

/** One entry of a setting that is a list: an automation, an alert rule. */
export type Row = Readonly<Record<string, unknown>>;

/** The text in the field of a path. */
export type TextAt = (path: string) => string;

/** A value of an entry as a field of its form. */
export type RowField = {
  /** Dotted, below the entry. */
  path: string;
  label: string;
  hint?: string;
  /** `minutes` stand as milliseconds in the entry; `lines` are a list, one value a line. */
  kind: 'text' | 'name' | 'long' | 'lines' | 'number' | 'minutes' | 'choice' | 'switch';
  /** Of a choice: its values with what is shown for them. */
  options?: readonly (readonly [value: string, shown: string])[];
  /** Values that the browser proposes. */
  proposals?: readonly string[];
  placeholder?: string;
  required?: boolean;
  /** It stands in a row of its own. */
  wide?: boolean;
  /** Where it does not apply it is not shown, and what stands there stays. */
  appliesTo?: (textAt: TextAt) => boolean;
  /** Where it does not apply, the entry must not have it. */
  isExclusive?: boolean;
};

const MINUTE_MS = 60_000;

export const SWITCH_LABELS = [
  ['true', 'Yes'],
  ['false', 'No'],
] as const;

/** The entries at a path of the configuration; what is no entry is left out. */
export function rowsAt(config: unknown, path: string): Row[] {
  const rows = valueAt(config, path);
  return Array.isArray(rows) ? rows.map(recordOf) : [];
}

/** A value of an entry as it stands in its field; empty where there is none. */
export function textInRow(field: RowField, row: Row): string {
  const value = valueAt(row, field.path);
  if (value === undefined || value === null) return '';
  if (field.kind === 'lines' && Array.isArray(value)) return value.map(String).join('\n');
  if (field.kind === 'minutes' && typeof value === 'number') return String(value / MINUTE_MS);
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** An entry with what was changed in its fields; all else about it stays as it is. */
export function rowFromTexts(fields: readonly RowField[], row: Row, textAt: TextAt): Row {
  return fields.reduce<Row>((next, field) => {
    const applies = field.appliesTo?.(textAt) ?? true;
    if (!applies) return field.isExclusive === true ? withValue(next, field.path, undefined) : next;
    const text = textAt(field.path);
    return text === textInRow(field, row)
      ? next
      : withValue(next, field.path, valueOf(field, text));
  }, row);
}

/** The field at which something is said of a path of the entry; null: at none. */
export function fieldAt(fields: readonly RowField[], path: string): string | null {
  const isWithin = (inner: string, outer: string) =>
    inner === outer || inner.startsWith(`${outer}.`);
  const field =
    fields.find((each) => isWithin(path, each.path)) ??
    fields.find((each) => isWithin(each.path, path));
  return field?.path ?? null;
}

/** What a text means; undefined where nothing was written, so that the default counts. */
function valueOf(field: RowField, text: string): unknown {
  if (text.trim() === '') return undefined;
  switch (field.kind) {
    case 'lines': {
      const lines = text.split('\n').map((line) => line.trim());
      return lines.filter((line) => line !== '');
    }
    case 'number':
      return Number(text);
    case 'minutes':
      return Math.round(Number(text) * MINUTE_MS);
    case 'switch':
      return text === 'true';
    case 'long':
      return text;
    default:
      return text.trim();
  }
}

function withValue(row: Row, path: string, value: unknown): Row {
  const [key = '', ...below] = path.split('.');
  const { [key]: before, ...others } = row;
  const next = below.length === 0 ? value : withValue(recordOf(before), below.join('.'), value);
  if (next === undefined) return others;
  // In its place: what is written shows only what was changed.
  return key in row ? { ...row, [key]: next } : { ...others, [key]: next };
}
