import type { SplitIssue, SubIssueDraft } from '@switchyard/shared/api/issue-tree';
import { ApiError } from '../../api/api.ts';
import { isRecord, recordOf, textOf } from '../../format/text-of.ts';

/** One sub-issue in the form, as typed. */
export type SplitDraft = {
  /** Identifies the row on this page only. */
  key: number;
  title: string;
  description: string;
  /** What it waits for: `#1` for a row by its position, `SY-3` for an issue. */
  after: string;
};

export type SplitFieldName = 'title' | 'description' | 'after';

/** A copy that a test compares with the contract, which would add the schema library to the bundle. */
export const MAX_SUB_ISSUES = 50;

const EMPTY: Omit<SplitDraft, 'key'> = { title: '', description: '', after: '' };
const FIRST: readonly SplitDraft[] = [{ key: 1, ...EMPTY }];
/** The stored form of a draft in which nothing is typed. */
export const EMPTY_DRAFT = JSON.stringify(FIRST);

/** The rows of a stored draft, which anybody may have changed; always at least one. */
export function rowsFrom(stored: string): readonly SplitDraft[] {
  const rows = listIn(stored)
    .map(recordOf)
    .slice(0, MAX_SUB_ISSUES)
    .map((row, index) => ({
      key: typeof row['key'] === 'number' ? row['key'] : index + 1,
      title: textOf(row['title']),
      description: textOf(row['description']),
      after: textOf(row['after']),
    }));
  const isUsable = rows.length > 0 && new Set(rows.map(({ key }) => key)).size === rows.length;
  return isUsable ? rows : FIRST;
}

function listIn(stored: string): unknown[] {
  try {
    const value: unknown = JSON.parse(stored);
    return Array.isArray(value) ? value.filter(isRecord) : [];
  } catch {
    return [];
  }
}

/** The rows with an empty one at the end. */
export function addRow(rows: readonly SplitDraft[]): SplitDraft[] {
  return [...rows, { key: Math.max(0, ...rows.map(({ key }) => key)) + 1, ...EMPTY }];
}

/** The rows without one of them; the others refer to their new positions, and no more to it. */
export function removeRow(rows: readonly SplitDraft[], index: number): SplitDraft[] {
  const removed = index + 1;
  return rows.toSpliced(index, 1).map((row) => {
    const entries = entriesOf(row.after);
    const kept = entries.flatMap((entry) => {
      const position = positionOf(entry);
      if (position === null || position < removed) return [entry];
      return position === removed ? [] : [`#${position - 1}`];
    });
    // What was typed stays as it is where it refers to no other position.
    return kept.join() === entries.join() ? row : { ...row, after: kept.join(', ') };
  });
}

/** The rows that are sent: empty ones at the end are not. */
export function sentRows(rows: readonly SplitDraft[]): readonly SplitDraft[] {
  return rows.slice(0, Math.max(1, rows.findLastIndex((row) => !isBlank(row)) + 1));
}

const isBlank = ({ title, description, after }: SplitDraft) =>
  `${title}${description}${after}`.trim() === '';

/** The request for the rows; what is left blank is left out. */
export function splitRequest(rows: readonly SplitDraft[]): SplitIssue {
  const subIssues = sentRows(rows).map((row) => {
    const part: SubIssueDraft = { title: row.title.trim() };
    const description = row.description.trim();
    if (description !== '') part.description = description;
    const blockedBy = entriesOf(row.after).map((entry) => entry.toUpperCase());
    if (blockedBy.length > 0) part.blockedBy = [...new Set(blockedBy)];
    return part;
  });
  return { subIssues };
}

/** The titles of the rows that a row waits for, as a text; undefined: it names none by its position. */
export function afterHint(rows: readonly SplitDraft[], after: string): string | undefined {
  const titles = entriesOf(after).flatMap((entry) => {
    const position = positionOf(entry);
    const title = position === null ? '' : (rows[position - 1]?.title.trim() ?? '');
    return title === '' ? [] : [`${entry} ${title}`];
  });
  return titles.length === 0 ? undefined : `Waits for ${titles.join(', ')}`;
}

const entriesOf = (text: string) => text.split(/[\s,;]+/).filter((entry) => entry !== '');

/** The position that `#3` stands for; null for anything else. */
function positionOf(entry: string): number | null {
  const digits = /^#(\d+)$/.exec(entry)?.[1];
  return digits === undefined ? null : Number(digits);
}

/** Why fields were refused, by `fieldKey`; `rest` belongs to no field. */
export type RefusedRows = { fields: ReadonlyMap<string, string>; rest: unknown };

export const fieldKey = ({ key }: SplitDraft, field: SplitFieldName) => `${key}.${field}`;

const FIELDS: Readonly<Record<string, SplitFieldName>> = {
  title: 'title',
  description: 'description',
  blockedBy: 'after',
};

/**
 * Assigns an error of the service to the rows that were sent. A field that was changed since then is
 * not refused any more.
 */
export function refusedRows(
  error: unknown,
  sent: readonly SplitDraft[],
  rows: readonly SplitDraft[],
): RefusedRows {
  if (!(error instanceof ApiError)) return { fields: new Map(), rest: error };
  const placed = error.details.map(({ path, message }) => {
    const [, index, name = ''] = /^subIssues\.(\d+)\.(\w+)/.exec(path) ?? [];
    const row = sent[Number(index)];
    const field = FIELDS[name];
    if (row === undefined || field === undefined) return { key: null, message, isChanged: false };
    const now = rows.find(({ key }) => key === row.key);
    return { key: fieldKey(row, field), message, isChanged: now?.[field] !== row[field] };
  });
  const fields = new Map<string, string>();
  for (const { key, message, isChanged } of placed) {
    if (key !== null && !isChanged && !fields.has(key)) fields.set(key, message);
  }
  const isAll = placed.length > 0 && placed.every(({ key }) => key !== null);
  return { fields, rest: isAll ? null : error };
}
