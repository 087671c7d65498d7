import { inertQuote } from '@switchyard/shared/markdown/inert-markdown';
import { MAX_PLAN_CHARS } from '@switchyard/shared/plan/is-approval';
import { outcomeOfPlan } from '@switchyard/shared/plan/outcome-of-plan';
import { requestOfAttempt } from '../../attempts/requests/queries.ts';
import type { JobRow } from '../../db/schema/operation/jobs.ts';
import type { RequestRow } from '../../db/schema/work/requests.ts';
import type { Deps } from '../../deps.ts';
import { JobRefused } from '../../jobs/queue/run-jobs.ts';
import { isOutOfSight } from '../../ports/tracker/out-of-sight.ts';
import { issueById } from '../queries.ts';

/** Writes a plan into its issue's tracker, as a comment that stays when the status changes. */
export async function writePlanComment(
  deps: Pick<Deps, 'db' | 'trackers' | 'service' | 'redactor'>,
  row: JobRow,
  { requestId }: { requestId: string },
): Promise<void> {
  const found = await requestOfAttempt(deps.db, requestId);
  const issue = await issueById(deps.db, { tracker: row.tracker ?? '', id: row.issue_id ?? '' });
  const tracker = deps.trackers.get(row.tracker ?? '');
  if (found === null || issue === null || tracker === undefined)
    throw new JobRefused('the issue or its plan is gone');
  if (isOutOfSight(issue)) return;
  const { publicOrigin } = deps.service;
  const text = planCommentText({
    // Secrets are redacted before the text becomes Markdown, which would change how they look.
    plan: deps.redactor.known(found.request.plan ?? ''),
    outcome: outcomeOf(found.request),
    number: found.attempt.number,
    inboxUrl: publicOrigin === null ? null : `${publicOrigin}/requests`,
  });
  await tracker.upsertComment(issue.id, `plan-${found.attempt.number}`, text);
}

type PlanComment = {
  plan: string;
  /** What became of it; null: it waits. */
  outcome: string | null;
  /** Number of the attempt that made the plan. */
  number: number;
  /** Page where plans are decided; null when this service has no address that people can open. */
  inboxUrl: string | null;
};

const OUTCOMES: Record<NonNullable<ReturnType<typeof outcomeOfPlan>>, string> = {
  approved: 'It was approved.',
  approved_as_edited: 'It was approved, as it was edited.',
  sent_back: 'It was sent back: the agent makes another plan.',
};

function outcomeOf({ state, answers }: RequestRow): string | null {
  if (state === 'asked') return null;
  const outcome = outcomeOfPlan(answers);
  return outcome === null ? 'It waits for no decision any more.' : OUTCOMES[outcome];
}

const HOW_TO_DECIDE =
  'Comment `approve` to begin the work on it. Any other comment asks for another plan, which takes the comment into account.';

/** The Markdown of a plan's comment; the plan is a quotation that cannot act. Pure. */
function planCommentText({ plan, outcome, number, inboxUrl }: PlanComment): string {
  const quoted = inertQuote(plan, { maxChars: MAX_PLAN_CHARS, headingLevel: 4, code: 'kept' });
  const link = inboxUrl === null ? '' : ` [Open the inbox](${inboxUrl})`;
  const next = outcome ?? `${HOW_TO_DECIDE}${link}`;
  return [`**Switchyard**: plan (attempt ${number})`, quoted, next].join('\n\n');
}
