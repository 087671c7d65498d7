import type {
  AttemptOutcome,
  AttemptStatus,
  FailureKind,
} from '@switchyard/shared/api/work/attempt';

/** An attempt as the start of the service found it. */
export type Found = { status: AttemptStatus; epoch: number };

/** The current row of the attempt that the start found. */
export type Now = {
  status: AttemptStatus;
  epoch: number;
  outcome: AttemptOutcome | null;
  failure_kind: FailureKind | null;
  released_at_ms: number | null;
  runner_id: string | null;
};

type RecoveryResult = 'waiting' | 'kept' | 'requeued' | 'ended' | 'delivering';

/** What became of an attempt that a start found, by its row and whether its runner was seen. */
export function whatBecame(
  found: Found,
  now: Now | null,
  { runnerHasSpoken }: { runnerHasSpoken: boolean },
): { result: RecoveryResult; detail: string } {
  if (now === null) return { result: 'ended', detail: 'its record is gone' };
  if (now.status !== 'queued' && now.status !== 'running') {
    return {
      result: 'ended',
      detail: `${now.outcome ?? now.status}${now.failure_kind === null ? '' : ` (${now.failure_kind})`}`,
    };
  }
  if (now.status === 'running' && now.released_at_ms !== null)
    return { result: 'delivering', detail: 'the agent is done; its delivery goes on' };
  if (now.epoch > found.epoch) {
    return {
      result: 'requeued',
      detail: `lease ${found.epoch} was given up; now under lease ${now.epoch}`,
    };
  }
  if (found.status === 'queued') return { result: 'waiting', detail: 'waits for a runner' };
  return runnerHasSpoken
    ? { result: 'kept', detail: `runner ${now.runner_id ?? ''} still holds it` }
    : { result: 'waiting', detail: 'waits for its runner until the lease is over' };
}
