import { plainTerminalText } from '../../../format/terminal-text.ts';
import { actorText } from '@switchyard/shared/reasons/act-of-person';
import type { LogEntry } from './log-entry.ts';
import type { LogRow } from './event-log.ts';
import type { LogItem } from './log-item.ts';

// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f]/;

/** The complete text of a row in lower case, for searching. Not cached, since a log may be long. */
export function rowText(row: LogRow): string {
  const text = partsOf(row).join('\n');
  return (CONTROL.test(text) ? plainTerminalText(text) : text).toLowerCase();
}

function partsOf(row: LogRow): (string | null)[] {
  if (row.kind === 'turn') return [`turn ${row.number}`, row.status, row.message];
  if (row.kind === 'entry') return entryParts(row.entry);
  return itemParts(row.item);
}

function entryParts({ label, text, by, body }: LogEntry): (string | null)[] {
  return [by === null ? label : `${label} by ${actorText(by)}`, text, body];
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
    case 'check':
      return [item.title, item.output];
    case 'other':
      return [item.name, item.summary];
  }
}
