import type { ItemRow, LogRow } from './event-log.ts';
import type { FileChange } from './log-item.ts';

const LINE_PX = 28;
/** What a text block adds beside its lines, and what it is cut to by its style. */
const BLOCK_PX = 14;
const BLOCK_MAX_PX = 352;
const TEXT_LINE_PX = 20;
const DIFF_LINE_PX = 18;
/** Of prose, and of output and code, in an average line. */
const PROSE_CHARS = 80;
const CODE_CHARS = 40;

/**
 * About how high a row will be, in pixels, as it first shows: the nearer, the fewer rows are drawn
 * for nothing and the less moves when they are measured. Asked for all rows, so it reads no text.
 */
export function estimateRowHeight(row: LogRow): number {
  if (row.kind === 'turn') return 30;
  if (row.kind === 'entry') {
    return row.entry.body ? LINE_PX + block(row.entry.body.length) : LINE_PX;
  }
  return itemHeight(row);
}

function itemHeight({ item, endedAtMs }: ItemRow): number {
  switch (item.type) {
    case 'message':
      return 8 + TEXT_LINE_PX * Math.ceil(Math.max(1, item.text.length / PROSE_CHARS));
    case 'plan':
      return LINE_PX + block(item.text.length);
    case 'command': {
      const open = endedAtMs === null || (item.exitCode ?? 0) !== 0;
      return open && item.output !== '' ? LINE_PX + block(item.output.length) : LINE_PX;
    }
    case 'file_change':
      return item.changes.reduce((px, change) => px + changeHeight(change), LINE_PX);
    default:
      return LINE_PX;
  }
}

const block = (chars: number) =>
  Math.min(BLOCK_MAX_PX, BLOCK_PX + TEXT_LINE_PX * Math.ceil(chars / CODE_CHARS));

const changeHeight = ({ diff }: FileChange) =>
  diff === '' ? 0 : BLOCK_PX + DIFF_LINE_PX * Math.ceil(diff.length / CODE_CHARS);
