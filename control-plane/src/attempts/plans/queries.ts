import { PLAN_DECISION, EDITED_PLAN } from '@switchyard/shared/plan/is-approval';
import { and, eq, isNotNull, sql } from 'drizzle-orm';
import type { Database } from '../../db/database.ts';
import { checkpoints } from '../../db/schema/work/checkpoints.ts';
import { attempts } from '../../db/schema/work/attempts.ts';
import type { IssueRow } from '../../db/schema/work/issues.ts';
import { type RequestRow, requests } from '../../db/schema/work/requests.ts';
import type { ApprovedPlan } from '../prompt/plan-prompt.ts';

/** The plan by which an issue's work goes on; null when none was approved. */
export async function approvedPlan(
  db: Database,
  issue: Pick<IssueRow, 'tracker' | 'id' | 'plan_request_id'>,
): Promise<ApprovedPlan | null> {
  if (issue.plan_request_id === null) return null;
  // A turn that was cut off may be lost with what it was told.
  const begun = db
    .select({ one: sql`1` })
    .from(checkpoints)
    .innerJoin(attempts, eq(attempts.attempt_id, checkpoints.attempt_id))
    .where(
      and(
        eq(checkpoints.tracker, issue.tracker),
        eq(checkpoints.issue_id, issue.id),
        eq(checkpoints.trigger, 'turn_completed'),
        eq(attempts.kind, 'work'),
        sql`${attempts.number} > (select p.number from attempts p
          where p.attempt_id = ${requests.attempt_id})`,
      ),
    );
  const [row] = await db
    .select({ request: requests, isBegun: sql<number>`exists ${begun}` })
    .from(requests)
    .where(and(eq(requests.request_id, issue.plan_request_id), isNotNull(requests.plan)));
  if (row === undefined) return null;
  const { request, isBegun } = row;
  return { text: planText(request), answers: answersOf(request), isBegun: isBegun !== 0 };
}

/** The plan as it was approved: as a person edited it, else as the agent handed it in. */
function planText({ plan, answers }: RequestRow): string {
  return answers?.[EDITED_PLAN]?.join('\n') ?? plan ?? '';
}

/** What people answered to the plan's own questions. */
export function answersOf({
  questions,
  answers,
}: Pick<RequestRow, 'questions' | 'answers'>): ApprovedPlan['answers'] {
  const given = new Map(Object.entries(answers ?? {}));
  return questions.flatMap(({ id, question }) => {
    const answer = given.get(id)?.join(', ').trim() ?? '';
    return id === PLAN_DECISION || answer === '' ? [] : [{ question, answer }];
  });
}

/** The request that hands in an attempt's plan and waits for a decision; null when none does. */
export async function waitingPlan(
  db: Database,
  attemptId: string | null,
): Promise<RequestRow | null> {
  if (attemptId === null) return null;
  const [row] = await db
    .select()
    .from(requests)
    .where(
      and(
        eq(requests.attempt_id, attemptId),
        eq(requests.state, 'asked'),
        isNotNull(requests.plan),
      ),
    );
  return row ?? null;
}
