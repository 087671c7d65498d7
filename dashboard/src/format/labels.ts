import { codeOfKind } from '@switchyard/shared/reasons/code-of-failure';
import { REASON_CATALOGUE } from '@switchyard/shared/reasons/reason-catalogue';
import type { Attempt, AttemptPhase } from '@switchyard/shared/api/work/attempt';
import type { CheckpointTrigger } from '@switchyard/shared/api/work/checkpoint';

const PHASES: Record<AttemptPhase, string> = {
  offered: 'offered to a runner',
  leased: 'leased by a runner',
  workspace: 'preparing the workspace',
  starting: 'starting the sandbox',
  streaming: 'working',
  delivering: 'delivering',
};

const TRIGGERS: Record<CheckpointTrigger, string> = {
  thread_started: 'when the agent started',
  turn_completed: 'after a turn',
  delivering: 'before delivery',
  drain: 'when the runner drained',
  terminal: 'at the end',
};

export const triggerLabel = (trigger: string): string => wordsIn(TRIGGERS, trigger);
export const phaseLabel = (phase: string): string => wordsIn(PHASES, phase);

/** The current step of an attempt; its status while it is in no phase. */
export function stepLabel({ phase, status }: Pick<Attempt, 'phase' | 'status'>): string {
  if (phase !== null) return phaseLabel(phase);
  // The issue of an ending attempt still counts as running: its result is not available yet.
  return status === 'queued' || status === 'running' ? status : 'finishing';
}

/** The meaning of a kind of failure, for attempts that were stored before reasons had codes. */
export function failureLabel(kind: string): string {
  const code = codeOfKind(kind);
  return code === null ? wordsIn({}, kind) : REASON_CATALOGUE[code].cause;
}

function wordsIn(labels: Record<string, string>, key: string): string {
  if (Object.hasOwn(labels, key)) return labels[key] ?? key;
  return /^[a-z]+(_[a-z]+)+$/.test(key) ? key.replaceAll('_', ' ') : key;
}
