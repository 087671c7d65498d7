import type { AttemptRow } from '../db/schema/attempts.ts';
import type { FoundAttempt } from '../db/schema/leader.ts';

export type RecoveryResult = 'waiting' | 'kept' | 'requeued' | 'ended' | 'delivering';

/**
 * What became of an attempt that a start had found, told from its row: nothing is claimed that the
 * row does not show.
 */
export function whatBecame(
  found: FoundAttempt,
  now: Pick<AttemptRow, 'status' | 'epoch' | 'outcome' | 'failure_kind' | 'released_at_ms' | 'runner_id'> | null,
  runnerHasSpoken: boolean,
): { result: RecoveryResult; detail: string } {
  if (now === null) return { result: 'ended', detail: 'its record is gone' };
  if (now.status !== 'queued' && now.status !== 'running') {
    return { result: 'ended', detail: `${now.outcome ?? now.status}${now.failure_kind === null ? '' : ` (${now.failure_kind})`}` };
  }
  if (now.epoch > found.epoch) {
    return { result: 'requeued', detail: `lease ${found.epoch} was given up; now under lease ${now.epoch}` };
  }
  if (now.released_at_ms !== null) return { result: 'delivering', detail: 'the work is pushed; its delivery goes on' };
  if (found.status === 'queued') return { result: 'waiting', detail: 'waits for a runner' };
  return runnerHasSpoken
    ? { result: 'kept', detail: `runner ${now.runner_id ?? ''} still holds it` }
    : { result: 'waiting', detail: 'waits for its runner until the lease is over' };
}
