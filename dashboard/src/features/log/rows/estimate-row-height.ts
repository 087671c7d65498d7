import type { ItemRow, LogRow } from './event-log.ts';
import type { FileChange } from './log-item.ts';

const LINE_PX = 28;
/** Height of a text block beyond its lines, and its maximum height by style. */
const BLOCK_PX = 14;
const BLOCK_MAX_PX = 352;
const TEXT_LINE_PX = 20;
const DIFF_LINE_PX = 18;
/** Average characters per line, for prose and for output or code. */
const PROSE_CHARS = 80;
const CODE_CHARS = 40;

/**
 * Estimated initial height of a row in pixels: the better it is, the fewer rows are drawn
 * needlessly and the less moves after measuring. Computed for all rows, so it reads no text.
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
