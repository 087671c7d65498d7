import { ownQuestions, textOfPlan } from '@switchyard/shared/plan/outcome-of-plan';
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
  const text = textOfPlan(request.plan ?? '', request.answers);
  return { text, answers: answersOf(request), isBegun: isBegun !== 0 };
}

/** What people answered to the plan's own questions. */
export function answersOf(
  request: Pick<RequestRow, 'questions' | 'plan' | 'answers'>,
): ApprovedPlan['answers'] {
  const given = new Map(Object.entries(request.answers ?? {}));
  return ownQuestions(request).flatMap(({ id, question }) => {
    const answer = given.get(id)?.join(', ').trim() ?? '';
    return answer === '' ? [] : [{ question, answer }];
  });
}
