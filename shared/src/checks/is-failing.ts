import type { AttemptCheck } from './attempt-check.ts';

/** Whether a check in this state fails the work; a check that was not run does not. */
export function isFailing(state: AttemptCheck['state']): boolean {
  return state === 'failed' || state === 'timed_out';
}
