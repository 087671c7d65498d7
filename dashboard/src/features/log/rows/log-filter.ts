import type { LogRow } from './event-log.ts';

export const LOG_FILTERS = [
  { id: 'all', label: 'All entries' },
  { id: 'said', label: 'Messages' },
  { id: 'commands', label: 'Commands' },
  { id: 'changes', label: 'Changes' },
  { id: 'tools', label: 'Tools' },
  { id: 'service', label: 'Service' },
  { id: 'problems', label: 'Problems' },
] as const;

export type LogFilter = (typeof LOG_FILTERS)[number]['id'];

/** Whether a row passes the filter; turns always do, as landmarks. */
export function fitsFilter(row: LogRow, filter: LogFilter): boolean {
  if (filter === 'all' || row.kind === 'turn') return true;
  if (filter === 'problems') return isProblem(row);
  if (row.kind === 'entry') return filter === 'service';
  switch (row.item.type) {
    case 'command':
    case 'check':
      return filter === 'commands';
    case 'file_change':
      return filter === 'changes';
    case 'tool_call':
    case 'other':
      return filter === 'tools';
    default:
      return filter === 'said';
  }
}

function isProblem(row: Exclude<LogRow, { kind: 'turn' }>): boolean {
  if (row.kind === 'entry') return row.entry.tone === 'bad' || row.entry.tone === 'warning';
  const { item } = row;
  if (item.type === 'command') {
    return (item.exitCode ?? 0) !== 0 || item.status === 'failed' || item.status === 'declined';
  }
  if (item.type === 'check') return item.status === 'failed' || item.status === 'timed_out';
  return 'status' in item && (item.status === 'failed' || item.status === 'declined');
}
