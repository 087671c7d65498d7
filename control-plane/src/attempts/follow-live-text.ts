import { splitOpenStatusLine } from '@switchyard/shared/engine/status-of-line';
import type { LiveTextItem } from '@switchyard/shared/protocol/messages';
import { cutText } from '@switchyard/shared/text/cut-text';
import type { LiveText } from '../ports/ports.ts';

/** Silence after which a comment shows that the stream lives, and the attempt is looked at again. */
const KEEP_ALIVE_MS = 15_000;
/** What a slow listener may have waiting; beyond it, text is dropped as on the runner's lane. */
const MAX_WAITING_CHARS = 65_536;
/** Items that are written at once, of which the end of a piece may be held back. */
const MAX_HELD_ITEMS = 32;

export type LiveTextSink = {
  text(item: LiveTextItem): Promise<void>;
  keepAlive(): Promise<void>;
  readonly aborted: boolean;
  /** Calls back once when the listener goes, so that nobody waits for one who is gone. */
  onAbort?(then: () => void): void;
};

/**
 * Writes an attempt's live text to a listener until he goes or the attempt has ended. False: too
 * many listen already.
 */
export async function followLiveText(
  liveText: LiveText,
  input: { attemptId: string; isRunning: () => Promise<boolean>; keepAliveMs?: number },
  sink: LiveTextSink,
): Promise<boolean> {
  let waiting: LiveTextItem[] = [];
  let chars = 0;
  let resume: () => void = () => undefined;
  const withoutStatus = holdingStatusLines();
  const unsubscribe = liveText.subscribe(input.attemptId, (item) => {
    chars += item.text.length;
    // Where nothing waits, a piece longer than all the room is shown as far as there is room.
    if (waiting.length === 0)
      waiting.push({ ...item, text: cutText(item.text, MAX_WAITING_CHARS) });
    else if (chars <= MAX_WAITING_CHARS) waiting.push(item);
    resume();
  });
  if (unsubscribe === null) return false;
  sink.onAbort?.(() => resume());
  try {
    while (!sink.aborted) {
      if (waiting.length === 0) await pause(input.keepAliveMs ?? KEEP_ALIVE_MS);
      const items = waiting;
      waiting = [];
      chars = 0;
      for (const item of items.map(withoutStatus)) if (item.text !== '') await sink.text(item);
      if (items.length > 0 || sink.aborted) continue;
      await sink.keepAlive();
      if (!(await input.isRunning())) break;
    }
  } finally {
    unsubscribe();
  }
  return true;

  function pause(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      resume = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** Takes status lines out of what an agent says, also where they come in pieces. */
function holdingStatusLines(): (item: LiveTextItem) => LiveTextItem {
  const heldByItem = new Map<string, string>();
  return (item) => {
    // A program's output is no agent's word.
    if (item.stream === 'output') return item;
    const { shown, held } = splitOpenStatusLine((heldByItem.get(item.itemId) ?? '') + item.text);
    heldByItem.delete(item.itemId);
    if (held !== '') heldByItem.set(item.itemId, held);
    const [oldest] = heldByItem.keys();
    if (heldByItem.size > MAX_HELD_ITEMS && oldest !== undefined) heldByItem.delete(oldest);
    return { ...item, text: shown };
  };
}
