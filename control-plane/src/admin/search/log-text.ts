import { withoutStatusLine } from '@switchyard/shared/engine/status-of-line';
import type { StoredEvent } from '../../db/schema/operation/events.ts';

/** Fields with ids or states, which are not searched as text. */
const NAMES = new Set([
  'itemId',
  'turnId',
  'threadId',
  'containerId',
  'id',
  'type',
  'state',
  'status',
]);
const DEPTH_MAX = 5;

type LogText = { key: string; text: string };

/** The searchable text of an attempt's event, and the key of the line that shows it; null: none. */
export function logText(seq: number, { type, data }: StoredEvent): LogText | null {
  const { kind, payload, epoch } = data;
  if (type !== 'attempt.event' || typeof payload !== 'object' || payload === null) return null;
  if (kind === 'usage' || kind === 'turn' || kind === 'checkpoint') return null;
  const text = withoutStatusLine(stringsIn(payload, 0).join('\n'));
  if (text === '') return null;
  const itemId = kind === 'item' ? (payload as Record<string, unknown>)['itemId'] : null;
  const key = typeof itemId === 'string' ? `item:${String(epoch)}:${itemId}` : `mark:${seq}`;
  return { key, text };
}

function stringsIn(value: unknown, depth: number): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null || depth > DEPTH_MAX) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    NAMES.has(name) ? [] : stringsIn(inner, depth + 1),
  );
}
