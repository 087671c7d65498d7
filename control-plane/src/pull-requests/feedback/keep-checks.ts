import type { CheckedCommit } from '@switchyard/shared/api/work/pull-request';
import { and, eq } from 'drizzle-orm';
import { commitChange } from '../../observe/events/commit-change.ts';
import type { PullRequestView } from '../../ports/code-host/code-host.ts';
import { type PullRequestRow, pullRequests } from '../../db/schema/work/pull-requests.ts';
import type { Deps } from '../../deps.ts';

/**
 * Stores the code host's checks of an open pull request for display, and sends an event when the
 * list changed (a new commit alone sends none).
 */
export async function keepChecks(
  deps: Pick<Deps, 'db' | 'clock'>,
  row: PullRequestRow,
  view: Pick<PullRequestView, 'headSha' | 'checks' | 'unseen'>,
): Promise<void> {
  const checked: CheckedCommit = {
    headSha: view.headSha,
    checks: view.checks,
    ...(view.unseen.length === 0 ? {} : { unseen: view.unseen }),
  };
  if (JSON.stringify(checked) === JSON.stringify(row.checked)) return;
  const { db } = deps;
  const counts = (state: string) => view.checks.filter((check) => check.state === state).length;
  const shown = ({ checks, unseen = [] }: CheckedCommit) => JSON.stringify([checks, unseen]);
  const before = shown(row.checked ?? { headSha: '', checks: [] });
  const data = {
    identifier: row.issue_identifier,
    pullRequestId: row.id,
    url: row.url,
    headSha: view.headSha,
    total: view.checks.length,
    pending: counts('pending'),
    failed: counts('failed'),
    ...(view.unseen.length === 0 ? {} : { unseen: view.unseen }),
  };
  await commitChange(deps, {
    also: [
      db
        .update(pullRequests)
        .set({ checked })
        .where(and(eq(pullRequests.id, row.id), eq(pullRequests.status, 'open'))),
    ],
    events: shown(checked) === before ? [] : [{ type: 'pull_request.checks', data }],
  });
}
