import { unquotePath } from '@switchyard/shared/text/unquote-path';

/** The lines that commits add to one file, with their numbers. */
export type AddedText = { path: string; lines: string[]; numbers: number[] };

/**
 * Added lines of a patch by `git log --patch --unified=0 --diff-merges=combined`. A file may occur
 * several times, once for each commit.
 */
export function addedLines(patch: string): AddedText[] {
  const files: AddedText[] = [];
  let file: AddedText | null = null;
  /** Columns before a line, one for each parent; 0 outside of hunks. */
  let columns = 0;
  let number = 0;
  for (const line of patch.split('\n')) {
    if (line.startsWith('diff --')) {
      file = { path: '', lines: [], numbers: [] };
      files.push(file);
      columns = 0;
    } else if (columns === 0 && line.startsWith('+++ ')) {
      // Every file with added lines has this line; `diff --git` has two names that are hard to
      // separate.
      if (file !== null) file.path = unquotePath(line.slice(4)).replace(/^b\//, '');
    } else if (line.startsWith('@@')) {
      columns = (/^@+/.exec(line)?.[0].length ?? 2) - 1;
      number = Number(/ \+(\d+)(?:,\d+)? @@/.exec(line)?.[1] ?? 1);
    } else if (columns > 0 && file !== null) {
      const prefix = line.slice(0, columns);
      if (prefix.startsWith('\\') || prefix.includes('-')) continue;
      if (prefix.includes('+')) {
        file.lines.push(line.slice(columns));
        file.numbers.push(number);
      }
      number += 1;
    }
  }
  return files.filter(({ lines }) => lines.length > 0);
}
