import type {
  Attempt,
  AttemptOutcome,
  AttemptPhase,
  FailureKind,
} from '@switchyard/shared/api/attempt';
import type { CheckpointTrigger } from '@switchyard/shared/api/checkpoint';

const PHASES: Record<AttemptPhase, string> = {
  offered: 'offered to a runner',
  leased: 'taken by a runner',
  workspace: 'preparing the workspace',
  starting: 'starting the sandbox',
  streaming: 'agent at work',
  delivering: 'delivering',
};

const OUTCOMES: Record<AttemptOutcome, string> = {
  completed: 'completed',
  failed: 'failed',
  oom: 'out of memory',
  stalled: 'stalled',
  cancelled: 'cancelled',
};

const FAILURES: Record<FailureKind, string> = {
  agent_error: 'the agent reported an error',
  container_oom: 'the sandbox ran out of memory',
  turn_stalled: 'the engine went silent during a turn',
  agent_stalled: 'no progress for too long',
  runner_lost: 'the runner was lost',
  workspace_error: 'the workspace could not be prepared',
  delivery_error: 'the result could not be delivered',
  delivery_refused: 'the code host refused the result',
  budget_exceeded: 'the budget is used up',
  usage_limited: 'the provider limits usage',
  auth_failed: 'the provider refused the credentials',
  provider_unreachable: 'the provider cannot be reached',
  retries_exhausted: 'all retries are used up',
};

const TRIGGERS: Record<CheckpointTrigger, string> = {
  thread_started: 'as the agent began',
  turn_completed: 'after a turn',
  delivering: 'before delivery',
  drain: 'as the runner stopped',
  terminal: 'at the end',
};

export const triggerWords = (trigger: string): string => wordsIn(TRIGGERS, trigger);
export const phaseWords = (phase: string): string => wordsIn(PHASES, phase);

/** What an attempt does at this moment; its status while it is in no phase. */
export const stepWords = ({ phase, status }: Pick<Attempt, 'phase' | 'status'>): string =>
  phase === null ? status : phaseWords(phase);

export const outcomeWords = (outcome: string): string => wordsIn(OUTCOMES, outcome);
export const failureWords = (kind: string): string => wordsIn(FAILURES, kind);

/** A reason as a sentence. It is free text, but some are bare words of the failure vocabulary. */
export function reasonWords(reason: string): string {
  // Some say which failure it was and then, behind a colon, what happened.
  const [, kind = '', rest = ''] = /^([a-z]+(?:_[a-z]+)+): (.+)$/s.exec(reason) ?? [];
  const words = rest === '' ? wordsIn(FAILURES, reason) : `${wordsIn(FAILURES, kind)}: ${rest}`;
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function wordsIn(words: Record<string, string>, key: string): string {
  if (Object.hasOwn(words, key)) return words[key] ?? key;
  return /^[a-z]+(_[a-z]+)+$/.test(key) ? key.replaceAll('_', ' ') : key;
}
