import type { ChangeData, HunkData } from 'react-diff-view';
import type { DiffHunk, DiffLine } from './parse-diff.ts';

/** A hunk in the viewer's format; notes such as a missing newline are no lines. */
export function asHunkData(hunk: DiffHunk): HunkData {
  const changes = hunk.lines.flatMap(asChange);
  const count = (without: DiffLine['kind']) =>
    hunk.lines.filter(({ kind }) => kind !== without && kind !== 'note').length;
  return {
    content: hunk.header,
    oldStart: hunk.lines.find(({ oldNumber }) => oldNumber !== null)?.oldNumber ?? 0,
    newStart: hunk.lines.find(({ newNumber }) => newNumber !== null)?.newNumber ?? 0,
    oldLines: count('add'),
    newLines: count('del'),
    changes,
  };
}

function asChange({ kind, oldNumber, newNumber, text }: DiffLine): ChangeData[] {
  if (kind === 'add' && newNumber !== null) {
    return [{ type: 'insert', isInsert: true, lineNumber: newNumber, content: text }];
  }
  if (kind === 'del' && oldNumber !== null) {
    return [{ type: 'delete', isDelete: true, lineNumber: oldNumber, content: text }];
  }
  if (kind !== 'same' || oldNumber === null || newNumber === null) return [];
  const numbers = { oldLineNumber: oldNumber, newLineNumber: newNumber };
  return [{ type: 'normal', isNormal: true, ...numbers, content: text }];
}

/** Side and number of a line; an unchanged line belongs to the new side. */
export function placeOf(change: ChangeData): { side: 'old' | 'new'; line: number } {
  if (change.type === 'normal') return { side: 'new', line: change.newLineNumber };
  return { side: change.type === 'delete' ? 'old' : 'new', line: change.lineNumber };
}
