import { plainTerminalText } from '../../format/terminal-text.ts';
import type { LogRow } from './event-log.ts';
import type { LogItem } from './log-item.ts';

const texts = new WeakMap<LogRow, string>();

/** Everything a row says, in lower case, for finding; kept for as long as the row is. */
export function rowText(row: LogRow): string {
  const known = texts.get(row);
  if (known !== undefined) return known;
  const text = plainTerminalText(partsOf(row).join('\n')).toLowerCase();
  texts.set(row, text);
  return text;
}

function partsOf(row: LogRow): (string | null)[] {
  if (row.kind === 'turn') return [`turn ${row.number}`, row.status, row.message];
  if (row.kind === 'mark') return [row.mark.label, row.mark.text, row.mark.body];
  return itemParts(row.item);
}

function itemParts(item: LogItem): string[] {
  switch (item.type) {
    case 'message':
    case 'user_message':
    case 'reasoning':
    case 'plan':
      return [item.text];
    case 'command':
      return [item.command, item.output];
    case 'file_change':
      return item.changes.flatMap((change) => [change.path, change.diff]);
    case 'tool_call':
      return [item.tool, item.arguments, item.output];
    case 'other':
      return [item.name, item.summary];
  }
}
