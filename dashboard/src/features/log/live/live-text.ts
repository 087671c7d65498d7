import type { StreamEvent } from '@switchyard/shared/api/work/attempt';
import { textTail } from '@switchyard/shared/text/cut-text';

/** A piece of an unfinished item, as the service sends it. */
export type LivePiece = { itemId: string; stream: string; text: string };
export type LiveItem = { stream: string; text: string };

/**
 * The texts that an agent is writing; an item is removed when it ends, since the log then has it.
 */
export type LiveText = {
  items: ReadonlyMap<string, LiveItem>;
  /** Ended items, whose late pieces are ignored. */
  ended: ReadonlySet<string>;
};

/** Number of characters kept of one item, from its end. */
const KEPT_CHARS = 4_000;
const ITEMS_MAX = 8;
const ENDED_MAX = 500;

export const noLiveText: LiveText = { items: new Map(), ended: new Set() };

/** The live text with these pieces appended. */
export function addPieces(live: LiveText, pieces: readonly LivePiece[]): LiveText {
  const items = new Map(live.items);
  for (const { itemId, stream, text } of pieces) {
    if (live.ended.has(itemId)) continue;
    const known = items.get(itemId)?.text ?? '';
    items.set(itemId, { stream, text: textTail(known + text, KEPT_CHARS) });
  }
  return { ...live, items: new Map([...items].slice(-ITEMS_MAX)) };
}

/** The live text without the items that this event ends; the same object when it ends none. */
export function withoutEnded(live: LiveText, event: StreamEvent): LiveText {
  if (event.type === 'attempt.ended') return noLiveText;
  if (event.type !== 'attempt.event') return live;
  const payload = event.data['payload'] as Record<string, unknown> | null | undefined;
  if (payload?.['state'] !== 'ended') return live;
  if (event.data['kind'] === 'turn') return { ...live, items: noLiveText.items };
  const itemId = payload['itemId'];
  if (event.data['kind'] !== 'item' || typeof itemId !== 'string') return live;
  const ended = new Set([...live.ended, itemId].slice(-ENDED_MAX));
  // Most items end without having been shown, and then nothing needs to be redrawn.
  if (!live.items.has(itemId)) return { ...live, ended };
  const items = new Map(live.items);
  items.delete(itemId);
  return { items, ended };
}

/** Parses one frame; null for an invalid one. */
export function readPiece(data: string): LivePiece | null {
  try {
    const piece = JSON.parse(data) as Partial<LivePiece> | null;
    if (typeof piece?.itemId !== 'string' || typeof piece.text !== 'string') return null;
    return { itemId: piece.itemId, stream: String(piece.stream), text: piece.text };
  } catch {
    return null;
  }
}
