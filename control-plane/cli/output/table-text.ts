import Table from 'cli-table3';
import { terminalText } from '../options/command-context.ts';

const NO_LINES = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '  ',
};

const segmenter = new Intl.Segmenter();
const GAP_CHARS = 2;
/** Minimum width of a column, however narrow the terminal is. */
const MIN_COLUMN_CHARS = 8;

/**
 * Rows under a head, aligned, without lines; cells are made safe for a terminal. On a terminal the
 * widest columns are truncated so that a row fits on one line of `columns` characters; elsewhere
 * nothing is truncated.
 */
export function tableText(
  head: string[],
  given: readonly (string | number | null)[][],
  columns: number | undefined = process.stdout.columns,
): string {
  const rows = given.map((row) => row.map((cell) => terminalText(String(cell ?? '-'))));
  const widths = fittingWidths([head, ...rows], columns ?? Number.POSITIVE_INFINITY);
  const table = new Table({
    head,
    chars: NO_LINES,
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
  });
  for (const row of rows) table.push(row.map((cell, at) => cut(cell, widths[at] ?? 0)));
  return `${table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')}\n`;
}

/** Column widths: the natural ones, with the widest reduced until a row fits. */
function fittingWidths(rows: readonly string[][], columns: number): number[] {
  const widths = (rows[0] ?? []).map((_, at) =>
    Math.max(...rows.map((row) => characters(row[at] ?? ''))),
  );
  const tooWide = () =>
    widths.reduce((sum, width) => sum + width, GAP_CHARS * (widths.length - 1)) - columns;
  for (let over = tooWide(); over > 0; over = tooWide()) {
    const [widest = 0, next = 0] = widths.toSorted((a, b) => b - a);
    if (widest <= MIN_COLUMN_CHARS) break;
    const width = Math.max(MIN_COLUMN_CHARS, Math.min(next, widest - 1), widest - over);
    widths[widths.indexOf(widest)] = Math.min(width, widest - 1);
  }
  return widths;
}

function cut(text: string, width: number): string {
  if (characters(text) <= width) return text;
  const kept = [...segmenter.segment(text)].slice(0, width - 1).map(({ segment }) => segment);
  return `${kept.join('').trimEnd()}…`;
}

/** Length of a text in characters as people count them. */
function characters(text: string): number {
  return [...segmenter.segment(text)].length;
}
