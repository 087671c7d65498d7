import { splitOpenStatusLine } from '@switchyard/shared/engine/status-of-line';
import type { LiveTextItem } from '@switchyard/shared/protocol/messages';
import { cutText } from '@switchyard/shared/text/cut-text';
import type { LiveText } from '../ports/ports.ts';

/** Interval of keep-alive comments and of checks whether the attempt still runs. */
const KEEP_ALIVE_MS = 15_000;
/** Characters that may wait for a slow subscriber; beyond this, live text is dropped. */
const MAX_WAITING_CHARS = 65_536;
/** Items that are written at once, each with a held-back end that may begin a status line. */
const MAX_HELD_ITEMS = 32;

export type LiveTextSink = {
  text(item: LiveTextItem): Promise<void>;
  keepAlive(): Promise<void>;
  readonly aborted: boolean;
  /** Calls back once when the stream ends for whatever reason. */
  onAbort?(then: () => void): void;
};

/**
 * Streams an attempt's live text to a subscriber until it disconnects or the attempt ends. Returns
 * false when there are already too many subscribers.
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
    // A piece larger than the whole buffer is truncated to it rather than dropped.
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

/** Removes status lines from an agent's text, also where a line is split across pieces. */
function holdingStatusLines(): (item: LiveTextItem) => LiveTextItem {
  const heldByItem = new Map<string, string>();
  return (item) => {
    // Output of a program is not the agent's text and has no status lines.
    if (item.stream === 'output') return item;
    const { shown, held } = splitOpenStatusLine((heldByItem.get(item.itemId) ?? '') + item.text);
    heldByItem.delete(item.itemId);
    if (held !== '') heldByItem.set(item.itemId, held);
    const [oldest] = heldByItem.keys();
    if (heldByItem.size > MAX_HELD_ITEMS && oldest !== undefined) heldByItem.delete(oldest);
    return { ...item, text: shown };
  };
}
