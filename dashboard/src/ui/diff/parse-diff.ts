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
  change: 'added' | 'deleted' | 'renamed' | 'modified';
  binary: boolean;
  additions: number;
  deletions: number;
  hunks: DiffHunk[];
};

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@(.*)$/;

/**
 * Reads git's unified diff. Anything before the first file or hunk that it does not know is skipped,
 * so a fragment without headers still shows its hunks under an empty path.
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
 * The path in `diff --git a/PATH b/PATH`. Both are the same but for renames, which say both again; a
 * folder named `x b` must not make another file of it.
 */
function pathOf(line: string): string {
  const names = line.slice('diff --git '.length);
  const half = names.slice((names.length + 1) / 2);
  const isTwice = names === `a/${half.slice(2)} b/${half.slice(2)}`;
  return isTwice ? half.slice(2) : names.slice(names.lastIndexOf(' b/') + 3);
}

function openFile(reader: Reader, path: string): void {
  reader.file = {
    path: unquote(path),
    oldPath: null,
    change: 'modified',
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
  if (line.startsWith('new file')) file.change = 'added';
  else if (line.startsWith('deleted file')) file.change = 'deleted';
  else if (line.startsWith('rename from ')) {
    file.change = 'renamed';
    file.oldPath = unquote(line.slice('rename from '.length));
  } else if (line.startsWith('+++ b/')) file.path = unquote(line.slice('+++ b/'.length));
  else if (line.startsWith('Binary files') || line.startsWith('GIT binary')) file.binary = true;
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

/** git quotes paths with odd characters; the quotes go, the escapes stay readable as they are. */
function unquote(path: string): string {
  return path
    .replace(/^"(?:[ab]\/)?/, '')
    .replace(/"$/, '')
    .replace(/\t$/, '');
}
