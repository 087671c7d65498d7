import type { AttemptRow } from '../../db/schema/work/attempts.ts';
import type { IssueRow } from '../../db/schema/work/issues.ts';
import type { RequestRow } from '../../db/schema/work/requests.ts';
import type { Deps } from '../../deps.ts';
import { ownLink } from '../../pull-requests/own-link.ts';
import { isOneOf } from '../../issues/tracker/find-state.ts';
import { visibleText } from '../../attempts/prompt/untrusted-text.ts';
import type { Standing } from './decide.ts';
import { pageOf } from './page-of.ts';

/** How it stands by the rows. */
export function sessionStatus(
  deps: Pick<Deps, 'trackers' | 'service'>,
  rows: { issue: IssueRow | null; attempt: AttemptRow | null; asked: RequestRow | null },
): Standing {
  const { issue, attempt, asked } = rows;
  const origin = deps.service.publicOrigin;
  const common = {
    attempt: attempt === null ? null : attemptFacts(attempt),
    asked: asked === null ? null : { requestId: asked.request_id, questions: asked.questions },
  };
  if (issue === null) return { ...common, issue: null, pageUrl: null };
  const terminal = deps.trackers.get(issue.tracker)?.stateRoles().terminal ?? [];
  return {
    ...common,
    issue: {
      status: issue.status,
      reason: issue.reason,
      reasonCode: issue.reason_code,
      nextRetryAtMs: issue.next_retry_at_ms,
      isOver: isOneOf(issue.state, terminal),
      pullRequestUrl: issue.pull_request_url && ownLink(origin, issue.pull_request_url),
    },
    pageUrl: pageOf(origin, issue.identifier, attempt?.attempt_id ?? null),
  };
}

function attemptFacts({ attempt_id: attemptId, number, summary }: AttemptRow) {
  return { attemptId, number, summary: summary === null ? null : visibleText(summary) };
}
