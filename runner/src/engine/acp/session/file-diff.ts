import { truncateText } from '../../session/truncate-text.ts';
import type { ToolContent } from '../session-update.ts';
import type { FileDiff } from './open-tool.ts';

/** Unchanged lines shown around a change. */
const CONTEXT_LINES = 3;
const MAX_DIFF_BYTES = 16 * 1024;

/** A changed file as a diff with one hunk; null for other content. */
export function fileDiff({ type, path, oldText, newText }: ToolContent): FileDiff | null {
  if (type !== 'diff' || !path) return null;
  const before = oldText ?? '';
  const after = newText ?? '';
  const kind = before === '' ? 'add' : after === '' ? 'delete' : 'update';
  const diff = truncateText(hunk(linesOf(before), linesOf(after)), MAX_DIFF_BYTES);
  return diff === '' ? { path, kind } : { path, kind, diff };
}

function linesOf(text: string): string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** The changed lines with some context; equal lines at both ends are left out. */
function hunk(before: readonly string[], after: readonly string[]): string {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const removed = before.slice(head, before.length - tail);
  const added = after.slice(head, after.length - tail);
  if (removed.length === 0 && added.length === 0) return '';
  const lead = before.slice(Math.max(0, head - CONTEXT_LINES), head);
  const rest = before.slice(before.length - tail, before.length - tail + CONTEXT_LINES);
  const same = lead.length + rest.length;
  const from = head - lead.length + 1;
  return [
    `@@ -${from},${removed.length + same} +${from},${added.length + same} @@`,
    ...lead.map((line) => ` ${line}`),
    ...removed.map((line) => `-${line}`),
    ...added.map((line) => `+${line}`),
    ...rest.map((line) => ` ${line}`),
    '',
  ].join('\n');
}
