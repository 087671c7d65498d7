import type { ServerResponse } from 'node:http';

/** An answer of which nothing is taken for so long is given up; streams say something more often. */
const STALL_MS = 40_000;
/** What all connections together may leave unread. */
const MAX_UNREAD_BYTES = 33_554_432;
/** Looked at this often at most, whatever comes. */
const CHECK_EVERY_MS = 250;

/**
 * Bounds what clients who do not read cost. A connection that takes nothing of its answer is ended;
 * when all together leave too much unread, those with the most are. `begin` is told of each answer
 * when it is there to be sent.
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
