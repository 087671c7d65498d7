import { LOCAL_STATES } from '@switchyard/shared/api/work/local-issue';
import type { IssueRow } from '../../../db/schema/work/issues.ts';
import { AppError } from '../../../errors.ts';
import { findState } from '../../../ports/tracker/find-state.ts';
import { localIssueRow } from './local-issue-row.ts';
import type { LocalTrackerDeps } from './local-tracker-deps.ts';
import { localIssuePage } from './queries.ts';
import { trackerIssues } from './tracker-issue.ts';

/** A page of issues, newest first; `total` counts the filtered set. Throws a 400 for an unknown state. */
export async function listLocalIssues(
  deps: Pick<LocalTrackerDeps, 'db' | 'settings'>,
  input: { state?: string | undefined; limit: number; offset: number },
): Promise<{ rows: IssueRow[]; total: number }> {
  const state = input.state === undefined ? undefined : findState(LOCAL_STATES, input.state);
  if (input.state !== undefined && state === undefined) {
    const message = `state must be one of ${LOCAL_STATES.join(', ')}`;
    throw new AppError('bad_request', message, { details: [{ path: 'state', message }] });
  }
  const page = await localIssuePage(deps.db, { state, limit: input.limit, offset: input.offset });
  const issues = await trackerIssues(
    deps,
    page.rows.map((row) => row.local),
  );
  const rows = issues.map((issue, at) => localIssueRow(issue, page.rows[at]?.index));
  return { rows, total: page.total };
}
