import { unquotePath } from '@switchyard/shared/text/unquote-path';

/** What commits add to one file: the lines and where they stand. */
export type AddedText = { path: string; lines: string[]; numbers: number[] };

/**
 * The added lines of a patch as `git log --patch --unified=0 --diff-merges=combined` prints it. The
 * same file may come several times, once per commit.
 */
export function addedLines(patch: string): AddedText[] {
  const files: AddedText[] = [];
  let file: AddedText | null = null;
  /** Columns in front of a line: one per parent. 0 outside of hunks. */
  let columns = 0;
  let number = 0;
  for (const line of patch.split('\n')) {
    if (line.startsWith('diff --')) {
      file = { path: '', lines: [], numbers: [] };
      files.push(file);
      columns = 0;
    } else if (columns === 0 && line.startsWith('+++ ')) {
      // Every file with added lines has this line; that of `diff --git` has two names to tell apart.
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
