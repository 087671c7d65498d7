import { and, eq } from 'drizzle-orm';
import { currentAttempt } from '../../attempts/queries.ts';
import { declaredChecks } from '../../attempts/checks/declared-checks.ts';
import { attemptEvidence } from '../../attempts/evidence/attempt-evidence.ts';
import { ownLink } from '../../ports/code-host/own-link.ts';
import type { JobRow } from '../../db/schema/operation/jobs.ts';
import { requests } from '../../db/schema/work/requests.ts';
import type { Deps } from '../../deps.ts';
import { issueById } from '../../issues/queries.ts';
import { isOutOfSight } from '../../ports/tracker/out-of-sight.ts';
import { JobRefused } from '../../jobs/queue/run-jobs.ts';
import { verdictOnWork } from '../reviews/queries.ts';
import { commentText } from './comment-text.ts';

/** Key of the status comment that this service maintains on every issue. */
const COMMENT_KEY = 'status';

/** Rewrites the status comment from the present rows. */
export async function updateComment(
  deps: Pick<Deps, 'db' | 'trackers' | 'service' | 'redactor'>,
  row: JobRow,
): Promise<void> {
  const issue = await issueById(deps.db, { tracker: row.tracker ?? '', id: row.issue_id ?? '' });
  const tracker = deps.trackers.get(row.tracker ?? '');
  if (issue === null || tracker === undefined) throw new JobRefused('the issue is gone');
  // The issue was removed, moved or archived, so that its tracker would refuse the comment.
  if (isOutOfSight(issue)) return;
  const attempt = await currentAttempt(deps.db, issue);
  const asked =
    attempt === null
      ? []
      : await deps.db
          .select()
          .from(requests)
          .where(and(eq(requests.attempt_id, attempt.attempt_id), eq(requests.state, 'asked')));
  const origin = deps.service.publicOrigin;
  const link = issue.pull_request_url && ownLink(origin, issue.pull_request_url);
  const pageUrl =
    origin === null ? null : `${origin}/issues/${encodeURIComponent(issue.identifier)}`;
  // Secrets are redacted before the text becomes Markdown, which would change how they look.
  const known = (text: string | null) => text && deps.redactor.known(text);
  const isOver =
    attempt !== null && (attempt.phase === 'delivering' || attempt.ended_at_ms !== null);
  const checks = isOver ? await declaredChecks(deps.db, attempt) : [];
  const facts = {
    checks: deps.redactor.value(checks),
    review: await verdictOnWork(deps.db, issue),
    evidence: isOver ? await attemptEvidence(deps.db, attempt) : null,
    issue: { ...issue, reason: known(issue.reason), pull_request_url: link },
    attempt: attempt && { ...attempt, summary: known(attempt.summary) },
    asked: deps.redactor.value(asked),
    pageUrl,
  };
  await tracker.upsertComment(issue.id, COMMENT_KEY, commentText(facts));
}
