import type { ReasonCode } from '@switchyard/shared/api/work/reason-code';
import type { PullRequestRow } from '../../db/schema/work/pull-requests.ts';
import type { Deps } from '../../deps.ts';
import { issueOfPullRequest } from '../rows/issue-of-pull-request.ts';
import { storeReason } from './store-reason.ts';
import { isAbout } from './record-end.ts';

type NoteDeps = Pick<Deps, 'db' | 'clock'>;

/** Reports once on its issue that a pull request cannot be found; nothing else changes. */
export async function reportMissing(deps: NoteDeps, row: PullRequestRow): Promise<void> {
  const { number, code_host: host } = row;
  const reason = `its pull request #${number} cannot be found on ${host}, neither open nor ended`;
  const why = { reason, code: 'pull_request_missing' } as const;
  await note(deps, row, why, (code) => code !== 'pull_request_missing');
}

/** Withdraws the report of a missing pull request that was found again. */
export async function reportPresent(deps: NoteDeps, row: PullRequestRow): Promise<void> {
  const reason = `its pull request #${row.number} is there again`;
  const why = { reason, code: 'pull_request_found' } as const;
  await note(deps, row, why, (code) => code === 'pull_request_missing');
}

async function note(
  deps: NoteDeps,
  row: PullRequestRow,
  why: { reason: string; code: ReasonCode },
  isWanted: (present: ReasonCode | null) => boolean,
): Promise<void> {
  const issue = await issueOfPullRequest(deps.db, row);
  if (issue?.status !== 'completed' || !isAbout(issue, row) || !isWanted(issue.reason_code)) return;
  // After a concurrent change of the issue the next sync decides again.
  await storeReason(deps, issue, why);
}
