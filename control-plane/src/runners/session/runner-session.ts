import type { ControlPlaneMessage } from '@switchyard/shared/protocol/messages';
import type { LeaseRow } from './lease-of-attempt.ts';
import type { WaitingFrame } from './waiting-frame.ts';

/**
 * One connection of one runner. Its state in memory may be lost, since the session number and every
 * lease are rows. Frames of a session are handled in order.
 */
export type RunnerSession = {
  runnerId: string;
  /** Session number from the runner's row at `hello`; null before it. */
  session: number | null;
  /** Tail of the queue that keeps frames in order. */
  tail: Promise<unknown>;
  /** Frames that have arrived and wait for their turn. */
  waiting: WaitingFrame[];
  /** Leases after this session's last commit, so that further events need no read. */
  leases: Map<string, LeaseRow>;
};

export function openSession(runnerId: string, session: number | null = null): RunnerSession {
  return { runnerId, session, tail: Promise.resolve(), waiting: [], leases: new Map() };
}

/** Runs a frame's work after all earlier work of the session. */
export function inOrder<T>(session: RunnerSession, work: () => Promise<T>): Promise<T> {
  const next = session.tail.then(work, work);
  session.tail = next.catch(() => undefined);
  return next;
}

export type Replies = ControlPlaneMessage[];

/** An error that the runner may retry; it ends no lease. */
export function retryableError(
  code: string,
  message: string,
  about: { ref?: string; attemptId?: string } = {},
): ControlPlaneMessage {
  return { type: 'error', code, message, retryable: true, retryAfterMs: 1_000, ...about };
}

export function finalError(
  code: string,
  message: string,
  about: { ref?: string; attemptId?: string } = {},
): ControlPlaneMessage {
  return { type: 'error', code, message, retryable: false, ...about };
}
