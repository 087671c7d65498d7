import type { AttemptCheck } from '@switchyard/shared/checks/attempt-check';
import { atWhichRun, whichRun } from '@switchyard/shared/checks/which-run';
import type { Tone } from '../../ui/marks/badge.tsx';
import type { IconName } from '../../ui/marks/icon.tsx';

type Look = { tone: Tone; word: string; icon?: IconName };

export const CHECK_DISPLAY: Record<AttemptCheck['state'], Look> = {
  pending: { tone: 'quiet', word: 'Pending' },
  running: { tone: 'info', word: 'Running' },
  passed: { tone: 'good', word: 'Passed' },
  failed: { tone: 'bad', word: 'Failed' },
  timed_out: { tone: 'bad', word: 'Timed out', icon: 'clock' },
  not_run: { tone: 'quiet', word: 'Not run', icon: 'cancelled' },
};

/** Details beyond the state: which run it was and its exit code. */
export function runText({ state, runs, exitCode }: AttemptCheck): string {
  const exit = exitCode === null ? '' : `exit code ${exitCode}`;
  return [whichText(state, runs), exit].filter((part) => part !== '').join(' · ');
}

function whichText(state: AttemptCheck['state'], runs: number): string {
  if (runs < 2 || state === 'not_run') return '';
  if (state === 'passed') return `passed${atWhichRun(runs)}`;
  if (state !== 'failed') return whichRun(runs);
  return `failed in ${runs === 2 ? 'both' : `all ${runs}`} runs`;
}

/** Whether a check has details to open below its line. */
export function hasDetails({ output, changedFiles, message }: AttemptCheck): boolean {
  return (output ?? '') !== '' || changedFiles.length > 0 || message !== null;
}

/** Number of checks by state, as the list's heading: `1 failed, 1 passed`. */
export function summaryOf(checks: readonly AttemptCheck[]): string {
  const counts = new Map<string, number>();
  for (const state of ORDER) {
    const count = checks.filter((check) => check.state === state).length;
    if (count > 0) counts.set(CHECK_DISPLAY[state].word.toLowerCase(), count);
  }
  return [...counts].map(([word, count]) => `${count} ${word}`).join(', ');
}

const ORDER = ['failed', 'timed_out', 'running', 'passed', 'pending', 'not_run'] as const;
