import type { Suite } from './suites.ts';

/** A row of the table in docs/development.md: what lies below these paths can break these suites. */
export type TouchRow = { paths: string[]; suites: string[] };

const HEADING = /^\| Changed below\b.*\| Suites\b/;
const CODE = /`([^`]+)`/g;

/**
 * Reads the table of folders and suites.
 * @param page text of docs/development.md
 * @throws Error when it is not there, or a row names a suite that does not exist
 */
export function readTouchTable(page: string, suites: readonly Suite[]): TouchRow[] {
  const lines = page.split('\n');
  const start = lines.findIndex((line) => HEADING.test(line));
  if (start === -1) throw new Error('docs/development.md has no table of folders and suites');
  const known = suites.map(({ name }) => name);
  const rows: TouchRow[] = [];
  for (const line of lines.slice(start + 2)) {
    if (!line.startsWith('|')) break;
    const [, left = '', right = ''] = line.split('|');
    const named = codesIn(right);
    const unknown = named.find((name) => name !== 'all' && !known.includes(name));
    if (unknown !== undefined) throw new Error(`docs/development.md: no suite ${unknown}`);
    rows.push({ paths: codesIn(left), suites: named.includes('all') ? known : named });
  }
  return rows;
}

/**
 * The suites that a change can break, in the order in which they run. The longest path of the table
 * that a file lies below decides; a file below none of them can break everything.
 * @param files changed files, from the root of the checkout
 */
export function suitesForChange(
  files: readonly string[],
  table: readonly TouchRow[],
  suites: readonly Suite[],
): string[] {
  const touched = new Set<string>();
  for (const file of files) {
    const rows = table
      .flatMap((row) => row.paths.map((path) => ({ path, row })))
      .filter(({ path }) => file === path || file.startsWith(`${path.replace(/\/$/, '')}/`))
      .toSorted((a, b) => b.path.length - a.path.length);
    for (const name of rows[0]?.row.suites ?? suites.map((suite) => suite.name)) touched.add(name);
  }
  return suites.map(({ name }) => name).filter((name) => touched.has(name));
}

function codesIn(cell: string): string[] {
  return [...cell.matchAll(CODE)].map(([, code = '']) => code);
}
