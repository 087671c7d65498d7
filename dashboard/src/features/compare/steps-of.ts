import type { StreamEvent } from '@switchyard/shared/api/work/attempt';
import { cutText } from '@switchyard/shared/text/cut-text';
import { appendEvents, emptyLog } from '../log/rows/event-log.ts';
import type { LogItem } from '../log/rows/log-item.ts';

export type Step = {
  /** Key of the log row with the complete step. */
  key: string;
  text: string;
  failed: boolean;
};

/** The commands, changes, tool calls and messages of an attempt, one line each. */
export function stepsOf(events: readonly StreamEvent[]): Step[] {
  return appendEvents(emptyLog(), events).rows.flatMap((row) => {
    const text = row.kind === 'item' ? lineOf(row.item) : null;
    if (row.kind !== 'item' || text === null) return [];
    const failed = row.item.type === 'command' && (row.item.exitCode ?? 0) !== 0;
    return [{ key: row.key, text, failed }];
  });
}

const LINE_CHARS = 200;

function lineOf(item: LogItem): string | null {
  switch (item.type) {
    case 'command':
      return cutText(`$ ${item.command}`, LINE_CHARS);
    case 'file_change':
      return cutText(`edit ${item.changes.map((change) => change.path).join(', ')}`, LINE_CHARS);
    case 'tool_call':
      return `call ${item.tool}`;
    case 'message':
      return cutText(`message: ${item.text.trim().split('\n', 1)[0] ?? ''}`, LINE_CHARS);
    default:
      return null;
  }
}
