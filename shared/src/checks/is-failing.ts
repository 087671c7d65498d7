import type { AttemptCheck } from './attempt-check.ts';

/** Whether work does not pass a check that stands like this; one that was not run says nothing. */
export function isFailing(state: AttemptCheck['state']): boolean {
  return state === 'failed' || state === 'timed_out';
}
