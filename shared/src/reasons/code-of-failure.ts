import type { FailureKind } from '../api/work/attempt.ts';
import type { ReasonCode } from '../api/work/reason-code.ts';
import { BLOCKS_START } from './needs-person.ts';

const OF_PROVIDER: Record<FailureKind, ReasonCode> = {
  agent_error: 'agent_error',
  container_oom: 'container_oom',
  turn_stalled: 'turn_stalled',
  agent_stalled: 'agent_stalled',
  runner_lost: 'runner_lost',
  workspace_error: 'workspace_error',
  delivery_error: 'delivery_error',
  delivery_refused: 'delivery_refused',
  budget_exceeded: 'attempt_time_used',
  usage_limited: 'provider_limited',
  auth_failed: 'provider_auth_failed',
  provider_unreachable: 'provider_unreachable',
  retries_exhausted: 'ended_without_result',
};
const OF_CODE_HOST: Partial<Record<FailureKind, ReasonCode>> = {
  usage_limited: 'codehost_limited',
  auth_failed: 'codehost_auth_failed',
  provider_unreachable: 'codehost_unreachable',
};
/** Reason codes by which a runner may refine each kind of failure. */
const FINER: Partial<Record<FailureKind, readonly ReasonCode[]>> = {
  agent_error: ['engine_killed', 'engine_ended', 'context_exceeded', 'settings_not_hidden'],
  provider_unreachable: ['provider_silent'],
  workspace_error: [...BLOCKS_START, 'review_branch_moved'],
  delivery_refused: [
    'work_refused',
    'checks_failed',
    'merge_conflict',
    'merge_branch_moved',
    'merge_base_moved',
    'merge_removed',
  ],
};

/**
 * The reason code of a failure; `reported` is the runner's own code, used only where it refines the
 * kind.
 */
export function codeOfFailure(
  kind: FailureKind,
  upstream: 'provider' | 'codehost' = 'provider',
  reported?: string,
): ReasonCode {
  const finer = FINER[kind]?.find((code) => code === reported);
  if (finer !== undefined) return finer;
  return (upstream === 'codehost' ? OF_CODE_HOST[kind] : undefined) ?? OF_PROVIDER[kind];
}

/** The reason code of the kind in a stored event; null for an unknown kind. */
export function codeOfKind(kind: string): ReasonCode | null {
  return Object.hasOwn(OF_PROVIDER, kind) ? OF_PROVIDER[kind as FailureKind] : null;
}
