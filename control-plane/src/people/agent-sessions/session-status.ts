import type { IssueRow } from '../../db/schema/work/issues.ts';
import type { RequestRow } from '../../db/schema/work/requests.ts';
import type { Deps } from '../../deps.ts';
import { ownLink } from '../../ports/code-host/own-link.ts';
import { isOneOf } from '../../ports/tracker/find-state.ts';
import type { SessionState } from './decide.ts';
import { pageOf } from './page-of.ts';
import type { UpdatedAttempt } from './queries.ts';

/** The state of a session's issue, from the rows. */
export function sessionStatus(
  deps: Pick<Deps, 'trackers' | 'service' | 'redactor'>,
  rows: { issue: IssueRow | null; attempt: UpdatedAttempt | null; asked: RequestRow | null },
): SessionState {
  const { issue, attempt, asked } = rows;
  const origin = deps.service.publicOrigin;
  // Secrets are redacted before the text becomes Markdown, which would change how they look.
  const hiding = <Value>(value: Value) => deps.redactor.value(value);
  const common = {
    attempt: attempt === null ? null : hiding(attemptFacts(attempt)),
    asked: asked === null ? null : hiding(askedFacts(asked)),
  };
  if (issue === null) return { ...common, issue: null, pageUrl: null };
  const terminal = deps.trackers.get(issue.tracker)?.stateRoles().terminal ?? [];
  return {
    ...common,
    issue: {
      status: issue.status,
      reason: hiding(issue.reason),
      reasonCode: issue.reason_code,
      nextRetryAtMs: issue.next_retry_at_ms,
      isOver: isOneOf(issue.state, terminal),
      pullRequestUrl: issue.pull_request_url && ownLink(origin, issue.pull_request_url),
    },
    pageUrl: pageOf(origin, issue.identifier, attempt?.attempt_id ?? null),
  };
}

function askedFacts({ request_id: requestId, questions, plan }: RequestRow) {
  return { requestId, questions, plan };
}

function attemptFacts({ attempt_id: attemptId, number, summary }: UpdatedAttempt) {
  return { attemptId, number, summary };
}
