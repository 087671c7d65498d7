import type { ServerResponse } from 'node:http';

/** A response of which nothing is read for this time is aborted; streams send more often. */
const STALL_MS = 40_000;
/** Unread bytes of all connections together. */
const MAX_UNREAD_BYTES = 33_554_432;
/** Shortest interval between two checks. */
const CHECK_EVERY_MS = 250;

/**
 * Limits the cost of clients that do not read. A connection that reads nothing of its response is
 * closed; when all together have too much unread, those with the most are. `begin` is called for
 * each response that is about to be sent.
 */
export function createUnreadAnswers(limits: { stallMs?: number; maxBytes?: number } = {}): {
  begin(answer: ServerResponse): void;
} {
  const { stallMs = STALL_MS, maxBytes = MAX_UNREAD_BYTES } = limits;
  const open = new Set<ServerResponse>();
  let lookedAtMs = 0;

  function endLargest(): void {
    const nowMs = performance.now();
    if (nowMs - lookedAtMs < CHECK_EVERY_MS) return;
    lookedAtMs = nowMs;
    const unread = [...open].map((answer) => ({ answer, bytes: answer.writableLength }));
    let total = unread.reduce((sum, { bytes }) => sum + bytes, 0);
    for (const { answer, bytes } of unread.sort((one, other) => other.bytes - one.bytes)) {
      if (total <= maxBytes) return;
      answer.destroy();
      total -= bytes;
    }
  }

  return {
    begin(answer) {
      endLargest();
      open.add(answer);
      answer.once('close', () => open.delete(answer));
      answer.setTimeout(stallMs, () => answer.destroy());
    },
  };
}
