import { isWithin } from '../../is-within.ts';

const MINUTE_MS = 60_000;
const PER_MINUTE = 60;
const PER_ATTEMPT = 1_000;
const AT_ONCE = 4;
/** Attempts whose calls are counted; beyond this the oldest entry is dropped. */
const MAX_ATTEMPTS = 1_000;

type Used = { windowMs: number; inWindow: number; total: number; open: number };
const used = new Map<string, Used>();

/**
 * Reserves one call within an attempt's limits. Returns null when it may proceed, else the reason
 * for the agent. The counts are in memory only: a restart makes the limits more generous. Release
 * the call with `toolCallEnded`.
 */
export function takeToolCall(attemptId: string, nowMs: number): string | null {
  const share = shareOf(attemptId, nowMs);
  if (!isWithin(nowMs, share.windowMs, MINUTE_MS)) {
    Object.assign(share, { windowMs: nowMs, inWindow: 0 });
  }
  if (share.open >= AT_ONCE) return `At most ${AT_ONCE} calls may be under way at once.`;
  if (share.total >= PER_ATTEMPT) {
    return `An attempt may call tools ${PER_ATTEMPT} times, and that is used up. Go on without.`;
  }
  if (share.inWindow >= PER_MINUTE) {
    const waitS = Math.ceil((share.windowMs + MINUTE_MS - nowMs) / 1_000);
    return `At most ${PER_MINUTE} calls may be made in a minute. Call again in ${waitS} seconds.`;
  }
  share.open += 1;
  share.inWindow += 1;
  share.total += 1;
  return null;
}

export function toolCallEnded(attemptId: string): void {
  const share = used.get(attemptId);
  if (share !== undefined) share.open -= 1;
}

function shareOf(attemptId: string, nowMs: number): Used {
  const known = used.get(attemptId);
  if (known !== undefined) return known;
  const [oldest] = used.keys();
  if (used.size >= MAX_ATTEMPTS && oldest !== undefined) used.delete(oldest);
  const fresh = { windowMs: nowMs, inWindow: 0, total: 0, open: 0 };
  used.set(attemptId, fresh);
  return fresh;
}
