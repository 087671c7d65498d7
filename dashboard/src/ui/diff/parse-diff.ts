import { QUOTED_PATH, unquotePath } from '@switchyard/shared/text/unquote-path';
import { showUnseen } from '../../format/show-unseen.ts';

export type DiffLine = {
  kind: 'add' | 'del' | 'same' | 'note';
  oldNumber: number | null;
  newNumber: number | null;
  text: string;
};
export type DiffHunk = { header: string; lines: DiffLine[] };
export type DiffFile = {
  path: string;
  oldPath: string | null;
  change: 'added' | 'deleted' | 'renamed' | 'copied' | 'modified';
  /**
   * Mode as git writes it, `100755`; null where the file does not exist or its mode is unchanged.
   */
  oldMode: string | null;
  newMode: string | null;
  binary: boolean;
  additions: number;
  deletions: number;
  hunks: DiffHunk[];
};

/** Two paths, the first or the second of them quoted. */
const QUOTED_FIRST = new RegExp(`^${QUOTED_PATH.source} (.+)$`, 'su');
const QUOTED_SECOND = new RegExp(`^[^"]+ (${QUOTED_PATH.source})$`, 'su');
const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@(.*)$/;

/** Parsers of the lines above the first hunk, by their prefix. */
const HEADERS: readonly [string, (file: DiffFile, rest: string) => void][] = [
  ['new file mode ', (file, mode) => Object.assign(file, { change: 'added', newMode: mode })],
  ['deleted file mode ', (file, mode) => Object.assign(file, { change: 'deleted', oldMode: mode })],
  ['old mode ', (file, mode) => (file.oldMode = mode)],
  ['new mode ', (file, mode) => (file.newMode = mode)],
  ['rename from ', (file, path) => moved(file, 'renamed', path)],
  ['copy from ', (file, path) => moved(file, 'copied', path)],
  ['rename to ', (file, path) => (file.path = shownPath(path))],
  ['copy to ', (file, path) => (file.path = shownPath(path))],
  ['+++ ', (file, path) => path !== '/dev/null' && (file.path = shownPath(path, 'b/'))],
  ['Binary files', (file) => (file.binary = true)],
  ['GIT binary', (file) => (file.binary = true)],
];

function moved(file: DiffFile, change: DiffFile['change'], oldPath: string): void {
  file.change = change;
  file.oldPath = shownPath(oldPath);
}

/**
 * Parses git's unified diff. Unknown text before the first file or hunk is skipped, so a fragment
 * without headers still shows its hunks, under an empty path.
 */
export function parseDiff(diff: string): DiffFile[] {
  const reader: Reader = { files: [], file: null, hunk: null, oldNumber: 0, newNumber: 0 };
  const lines = showUnseen(diff).split('\n');
  if (lines.at(-1) === '') lines.pop();
  for (const line of lines) readLine(reader, line);
  return reader.files;
}

type Reader = {
  files: DiffFile[];
  file: DiffFile | null;
  hunk: DiffHunk | null;
  oldNumber: number;
  newNumber: number;
};

function readLine(reader: Reader, line: string): void {
  if (line.startsWith('diff --git ')) return openFile(reader, pathOf(line));
  const hunk = HUNK.exec(line);
  if (hunk !== null) return openHunk(reader, line, Number(hunk[1]), Number(hunk[2]));
  if (reader.hunk === null) return readHeader(reader, line);
  readBody(reader, reader.hunk, line);
}

/**
 * The second path in `diff --git a/PATH b/PATH`. Both are equal except for renames, whose own lines
 * repeat them; a folder named `x b` must not be taken for the separator. Each is quoted separately
 * where its characters require it.
 */
function pathOf(line: string): string {
  const names = line.slice('diff --git '.length);
  const second = (QUOTED_FIRST.exec(names) ?? QUOTED_SECOND.exec(names))?.[1];
  if (second !== undefined) return shownPath(second, 'b/');
  const half = names.slice((names.length + 1) / 2);
  const isTwice = names === `a/${half.slice(2)} b/${half.slice(2)}`;
  return isTwice ? half.slice(2) : names.slice(names.lastIndexOf(' b/') + 3);
}

/** A path without the prefix of its side; line breaks and tabs in it are escaped. */
function shownPath(text: string, prefix = ''): string {
  const path = unquotePath(text);
  const bare = path.startsWith(prefix) ? path.slice(prefix.length) : path;
  return showUnseen(bare).replaceAll(
    /[\t\n\r]/g,
    (char) => `[U+000${char.charCodeAt(0).toString(16).toUpperCase()}]`,
  );
}

function openFile(reader: Reader, path: string): void {
  reader.file = {
    path,
    oldPath: null,
    change: 'modified',
    oldMode: null,
    newMode: null,
    binary: false,
    additions: 0,
    deletions: 0,
    hunks: [],
  };
  reader.hunk = null;
  reader.files.push(reader.file);
}

function openHunk(reader: Reader, line: string, oldNumber: number, newNumber: number): void {
  if (reader.file === null) openFile(reader, '');
  reader.hunk = { header: line, lines: [] };
  reader.oldNumber = oldNumber;
  reader.newNumber = newNumber;
  reader.file?.hunks.push(reader.hunk);
}

function readHeader(reader: Reader, line: string): void {
  if (line.startsWith('--- ') && reader.file === null) return openFile(reader, '');
  const file = reader.file;
  if (file === null) return;
  const [start, read] = HEADERS.find(([known]) => line.startsWith(known)) ?? [];
  if (start !== undefined) read?.(file, line.slice(start.length));
}

function readBody(reader: Reader, hunk: DiffHunk, line: string): void {
  const text = line.slice(1);
  const file = reader.file;
  if (line.startsWith('+')) {
    hunk.lines.push({ kind: 'add', oldNumber: null, newNumber: reader.newNumber++, text });
    if (file !== null) file.additions += 1;
  } else if (line.startsWith('-')) {
    hunk.lines.push({ kind: 'del', oldNumber: reader.oldNumber++, newNumber: null, text });
    if (file !== null) file.deletions += 1;
  } else if (line.startsWith('\\')) {
    hunk.lines.push({ kind: 'note', oldNumber: null, newNumber: null, text: text.trim() });
  } else {
    hunk.lines.push({
      kind: 'same',
      oldNumber: reader.oldNumber++,
      newNumber: reader.newNumber++,
      text,
    });
  }
}
