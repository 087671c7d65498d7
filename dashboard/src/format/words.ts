import { codeOfKind } from '@switchyard/shared/reasons/code-of-failure';
import { isUnfinished } from '@switchyard/shared/reasons/explain-reason';
import { REASON_CATALOGUE } from '@switchyard/shared/reasons/reason-catalogue';
import type { Attempt, AttemptOutcome, AttemptPhase } from '@switchyard/shared/api/work/attempt';
import type { CheckpointTrigger } from '@switchyard/shared/api/work/checkpoint';

const PHASES: Record<AttemptPhase, string> = {
  offered: 'offered to a runner',
  leased: 'leased by a runner',
  workspace: 'preparing the workspace',
  starting: 'starting the sandbox',
  streaming: 'working',
  delivering: 'delivering',
};

const OUTCOMES: Record<AttemptOutcome, string> = {
  completed: 'completed',
  failed: 'failed',
  oom: 'out of memory',
  stalled: 'stalled',
  cancelled: 'canceled',
};

const TRIGGERS: Record<CheckpointTrigger, string> = {
  thread_started: 'when the agent started',
  turn_completed: 'after a turn',
  delivering: 'before delivery',
  drain: 'when the runner drained',
  terminal: 'at the end',
};

export const triggerWords = (trigger: string): string => wordsIn(TRIGGERS, trigger);
export const phaseWords = (phase: string): string => wordsIn(PHASES, phase);

/** What an attempt does at this moment; its status while it is in no phase. */
export const stepWords = ({ phase, status }: Pick<Attempt, 'phase' | 'status'>): string =>
  phase === null ? status : phaseWords(phase);

export const outcomeWords = (outcome: string): string => wordsIn(OUTCOMES, outcome);

/** How an attempt stands or ended: ended well is not the same as done. */
export function attemptWords(attempt: Pick<Attempt, 'status' | 'outcome' | 'reasonCode'>): string {
  if (endedUnfinished(attempt)) return 'unfinished';
  return attempt.outcome === null ? attempt.status : outcomeWords(attempt.outcome);
}

/** Whether an attempt ended well and left work to do. */
export function endedUnfinished({ outcome, reasonCode }: Pick<Attempt, 'outcome' | 'reasonCode'>) {
  return outcome === 'completed' && isUnfinished(reasonCode);
}

/** What a kind of failure means, for what was stored before reasons had codes. */
export function failureWords(kind: string): string {
  const code = codeOfKind(kind);
  return code === null ? wordsIn({}, kind) : REASON_CATALOGUE[code].cause;
}

function wordsIn(words: Record<string, string>, key: string): string {
  if (Object.hasOwn(words, key)) return words[key] ?? key;
  return /^[a-z]+(_[a-z]+)+$/.test(key) ? key.replaceAll('_', ' ') : key;
}

/** Words of others as a sentence of ours begins. */
export function asSentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
