import { routeForIssue } from '../config/repositories/route-for-issue.ts';
import { declaredChecks } from '../attempts/checks/declared-checks.ts';
import { attemptEvidence } from '../attempts/evidence/attempt-evidence.ts';
import { trialShare } from '../attempts/queries.ts';
import type { AttemptRow } from '../db/schema/work/attempts.ts';
import type { IssueRow } from '../db/schema/work/issues.ts';
import type { Deps } from '../deps.ts';
import { pullRequestText } from './pull-request-text.ts';

type DescribedWork = {
  issue: IssueRow;
  /** The attempt whose changes are delivered. */
  attempt: AttemptRow;
  commitSha: string;
  summary: string | null;
  draft: boolean;
  problems?: string[];
};

/**
 * Title and Markdown body of an attempt's pull request, with known secrets redacted. The route's
 * present settings decide how much evidence it shows.
 */
export async function writePullRequest(
  deps: Pick<Deps, 'db' | 'config' | 'service' | 'redactor'>,
  work: DescribedWork,
): Promise<{ title: string; body: string }> {
  const { issue, attempt, commitSha, summary, draft, problems = [] } = work;
  const { identifier, title, description, url } = issue;
  const origin = deps.service.publicOrigin;
  const page = `/issues/${encodeURIComponent(identifier)}?attempt=${attempt.attempt_id}`;
  const checks = await declaredChecks(deps.db, attempt);
  const evidence = await attemptEvidence(deps.db, attempt);
  const { repos } = await deps.config.load();
  const detail = routeForIssue(issue, repos)?.evidence ?? 'brief';
  // Secrets are redacted before the text becomes Markdown, which would change how they look.
  return pullRequestText({
    ...deps.redactor.value({ issue: { identifier, title, description, url }, summary, checks }),
    problems: deps.redactor.value(problems),
    commitSha,
    attempt: { number: attempt.number, url: origin === null ? null : origin + page },
    draft,
    onTrial: await trialShare(deps.db, issue),
    evidence: { facts: deps.redactor.value(evidence), detail, origin },
  });
}
