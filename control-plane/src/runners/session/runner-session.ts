import type { ControlPlaneMessage } from '@switchyard/shared/protocol/messages';
import type { LeaseRow } from './lease-of-attempt.ts';
import type { WaitingFrame } from './waiting-frame.ts';

/**
 * One connection of one runner. What stands here may be lost: the session number and every lease
 * are rows. Frames of a session are handled one after another.
 */
export type RunnerSession = {
  runnerId: string;
  /** From the runner's row at `hello`; null before it. */
  session: number | null;
  /** Tail of the queue that keeps frames in order. */
  tail: Promise<unknown>;
  /** Frames that have come and whose turn has not. */
  waiting: WaitingFrame[];
  /** Leases as this session's last commit left them, so that more events need no read. */
  leases: Map<string, LeaseRow>;
};

export function openSession(runnerId: string, session: number | null = null): RunnerSession {
  return { runnerId, session, tail: Promise.resolve(), waiting: [], leases: new Map() };
}

/** Runs a frame's work after everything the session was given before. */
export function inOrder<T>(session: RunnerSession, work: () => Promise<T>): Promise<T> {
  const next = session.tail.then(work, work);
  session.tail = next.catch(() => undefined);
  return next;
}

export type Replies = ControlPlaneMessage[];

/** A refusal that kills nothing. */
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
