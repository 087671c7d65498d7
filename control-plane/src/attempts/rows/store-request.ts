import { and, eq, inArray, sql } from 'drizzle-orm';
import type { Database, Statement } from '../../db/database.ts';
import { type RequestRow, requests } from '../../db/schema/work/requests.ts';

/**
 * The statement that stores a question of an agent. It expires after the time given in the
 * attempt's specification, which the runner also uses, not by the present configuration.
 */
export function storeRequest(
  db: Database,
  request: Omit<typeof requests.$inferInsert, 'expires_at_ms'>,
): Statement {
  const expiresAtMs = sql`${request.asked_at_ms} + (select spec ->> '$.limits.requestMs'
    from attempts where attempt_id = ${request.attempt_id})`;
  return db.insert(requests).values({ ...request, expires_at_ms: expiresAtMs });
}

/** The statement that settles a request with a person's answer, if it still waits. */
export function settleRequest(
  db: Database,
  { request_id: requestId }: Pick<RequestRow, 'request_id'>,
  answer: Pick<RequestRow, 'state' | 'answers' | 'answered_by' | 'answered_at_ms'>,
): Statement {
  return db
    .update(requests)
    .set(answer)
    .where(and(eq(requests.request_id, requestId), eq(requests.state, 'asked')));
}

/**
 * The statement for requests that the engine has closed: answered ones become `resumed`, others
 * `expired`.
 */
export function resolveRequests(
  db: Database,
  attemptId: string,
  engineRequestIds: string[],
): Statement {
  return db
    .update(requests)
    .set({ state: sql`case when ${requests.state} = 'answered' then 'resumed' else 'expired' end` })
    .where(
      and(
        eq(requests.attempt_id, attemptId),
        inArray(requests.engine_request_id, engineRequestIds),
        inArray(requests.state, ['asked', 'answered']),
      ),
    );
}
