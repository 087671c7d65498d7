import { recordOf } from '../../../format/text-of.ts';
import { valueAt } from '../value-at.ts';

/** One entry of a setting that is a list: an automation, an alert rule. */
export type Row = Readonly<Record<string, unknown>>;

/** The text in the field of a path. */
export type TextAt = (path: string) => string;

/** One value of an entry as a field of its form. */
export type RowField = {
  /** Dotted path below the entry. */
  path: string;
  label: string;
  hint?: string;
  /** `minutes` are milliseconds in the entry; `lines` are a list with one value per line. */
  kind: 'text' | 'name' | 'long' | 'lines' | 'number' | 'minutes' | 'choice' | 'switch';
  /** Only for a choice: its values with their labels. */
  options?: readonly (readonly [value: string, shown: string])[];
  /** Values that the browser suggests. */
  proposals?: readonly string[];
  placeholder?: string;
  required?: boolean;
  /** The field occupies a complete row. */
  wide?: boolean;
  /** Where it returns false, the field is hidden and its value is kept. */
  appliesTo?: (textAt: TextAt) => boolean;
  /** Where the field does not apply, the entry must not contain it. */
  isExclusive?: boolean;
};

const MINUTE_MS = 60_000;

export const SWITCH_LABELS = [
  ['true', 'Yes'],
  ['false', 'No'],
] as const;

/** The entries at a path of the configuration; a value that is no entry becomes an empty one. */
export function rowsAt(config: unknown, path: string): Row[] {
  const rows = valueAt(config, path);
  return Array.isArray(rows) ? rows.map(recordOf) : [];
}

/** A value of an entry as the text of its field; empty where the entry lacks it. */
export function textInRow(field: RowField, row: Row): string {
  const value = valueAt(row, field.path);
  if (value === undefined || value === null) return '';
  if (field.kind === 'lines' && Array.isArray(value)) return value.map(String).join('\n');
  if (field.kind === 'minutes' && typeof value === 'number') return String(value / MINUTE_MS);
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** An entry with the changes of its fields; everything else is kept. */
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

/** The field that shows a message about a path of the entry; null: none. */
export function fieldAt(fields: readonly RowField[], path: string): string | null {
  const isWithin = (inner: string, outer: string) =>
    inner === outer || inner.startsWith(`${outer}.`);
  const field =
    fields.find((each) => isWithin(path, each.path)) ??
    fields.find((each) => isWithin(each.path, path));
  return field?.path ?? null;
}

/** The value of a text; undefined for an empty one, so that the default applies. */
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
  // Keeps the order of keys, so that a comparison shows only what changed.
  return key in row ? { ...row, [key]: next } : { ...others, [key]: next };
}
