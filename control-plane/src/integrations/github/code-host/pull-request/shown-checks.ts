import type { PullRequestCheck } from '@switchyard/shared/api/work/pull-request';
import { cutText } from '@switchyard/shared/text/cut-text';
import type { CheckRun, CommitStatus } from './check-run.ts';

/**
 * Conclusions that count as failed; cancelled, skipped and stale checks say nothing about the work.
 */
export const FAILED_CONCLUSIONS: ReadonlySet<string> = new Set([
  'failure',
  'timed_out',
  'startup_failure',
]);
/** Limit on shown checks; failed and running ones come first. */
const MAX_SHOWN = 100;
const MAX_NAME_CHARS = 200;
const MAX_URL_CHARS = 2_000;
const ORDER = ['failed', 'pending', 'passed', 'skipped'] as const;

/** Check runs and commit statuses in one form for people. */
export function shownChecks(
  runs: readonly CheckRun[],
  statuses: readonly CommitStatus[],
): PullRequestCheck[] {
  const all = [...runs.map(ofRun), ...statuses.map(ofStatus)];
  return all
    .toSorted(
      (a, b) =>
        ORDER.indexOf(a.state) - ORDER.indexOf(b.state) ||
        (a.name < b.name ? -1 : Number(a.name > b.name)),
    )
    .slice(0, MAX_SHOWN);
}

function ofRun(run: CheckRun): PullRequestCheck {
  return {
    name: cutText(run.name, MAX_NAME_CHARS),
    state: run.status === 'completed' ? stateOf(run.conclusion) : 'pending',
    url: webAddress(run.html_url),
    startedAt: moment(run.started_at),
    endedAt: run.status === 'completed' ? moment(run.completed_at) : null,
  };
}

function ofStatus(status: CommitStatus): PullRequestCheck {
  const isPending = status.state === 'pending';
  return {
    name: cutText(status.context, MAX_NAME_CHARS),
    state: isPending ? 'pending' : status.state === 'success' ? 'passed' : 'failed',
    url: webAddress(status.target_url),
    startedAt: moment(status.created_at),
    endedAt: isPending ? null : moment(status.updated_at),
  };
}

/**
 * State for a conclusion of GitHub: `action_required` waits for a person; cancelled and others
 * count as skipped.
 */
function stateOf(conclusion: string | null | undefined): PullRequestCheck['state'] {
  if (conclusion === 'success') return 'passed';
  if (conclusion === 'action_required') return 'pending';
  return FAILED_CONCLUSIONS.has(conclusion ?? '') ? 'failed' : 'skipped';
}

function moment(text: string | null | undefined): string | null {
  const atMs = Date.parse(text ?? '');
  return Number.isNaN(atMs) ? null : new Date(atMs).toISOString();
}

function webAddress(url: string | null | undefined): string | null {
  return url != null && url.length <= MAX_URL_CHARS && /^https?:\/\//.test(url) ? url : null;
}
