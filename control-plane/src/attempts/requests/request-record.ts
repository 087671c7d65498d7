import type { ShownRequest } from './queries.ts';
import type { HumanRequest } from '@switchyard/shared/api/work/request';
import type { RequestRow } from '../../db/schema/work/requests.ts';

const HIDDEN = '•••';

/** The request as the API shows it; answers to secret questions are hidden. */
export function requestRecord(row: ShownRequest): HumanRequest {
  return {
    requestId: row.request_id,
    attemptId: row.attempt_id,
    identifier: row.identifier,
    state: row.state,
    questions: row.questions,
    plan: row.plan === null ? null : { text: row.plan, isStale: row.isPlanStale === 1 },
    answers: row.answers === null ? null : shownAnswers(row, row.answers),
    answeredBy: row.answered_by,
    askedAt: new Date(row.asked_at_ms).toISOString(),
    answeredAt: timestamp(row.answered_at_ms),
    expiresAt: new Date(row.expires_at_ms).toISOString(),
  };
}

function timestamp(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

function shownAnswers(
  row: RequestRow,
  answers: Record<string, string[]>,
): Record<string, string[]> {
  const secret = new Set(row.questions.filter((q) => q.isSecret).map((q) => q.id));
  return Object.fromEntries(
    Object.entries(answers).map(([id, texts]) => [
      id,
      secret.has(id) ? texts.map(() => HIDDEN) : texts,
    ]),
  );
}
