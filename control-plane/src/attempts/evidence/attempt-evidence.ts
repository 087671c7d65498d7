import { kindsThat } from '@switchyard/shared/attempts/kind-rules';
import { ownQuestions } from '@switchyard/shared/plan/outcome-of-plan';
import {
  type AttemptEvidence,
  type EvidenceQuestion,
  MAX_EVIDENCE_ATTEMPTS,
  MAX_EVIDENCE_QUESTIONS,
} from '@switchyard/shared/api/attempt-evidence';
import { and, count, desc, eq, inArray, lte, sql } from 'drizzle-orm';
import type { Database } from '../../db/database.ts';
import {
  type AttemptArtifactsRow,
  attemptArtifacts,
} from '../../db/schema/work/attempt-artifacts.ts';
import { type AttemptRow, attempts } from '../../db/schema/work/attempts.ts';
import { type RequestRow, requests } from '../../db/schema/work/requests.ts';

type Evidenced = Pick<
  AttemptRow,
  'attempt_id' | 'tracker' | 'issue_id' | 'number' | 'diff_stat' | 'outside_scope'
>;

/**
 * The evidence of an attempt: its changes and artifacts, and the attempts, usage and questions of
 * its issue up to then.
 */
export async function attemptEvidence(db: Database, attempt: Evidenced): Promise<AttemptEvidence> {
  const { attempt_id: attemptId, diff_stat: diffStat } = attempt;
  const [newest, [sums], asked, [questions], [artifacts]] = await read(db, attempt);
  return {
    attemptId,
    changes: diffStat && {
      files: diffStat.files,
      insertions: diffStat.insertions,
      deletions: diffStat.deletions,
    },
    outsideScope: attempt.outside_scope,
    attempts: newest.toReversed(),
    attemptCount: sums?.attempts ?? 0,
    usage: {
      tokens: sums?.tokens ?? 0,
      costUsd: sums?.costUsd ?? null,
      unpricedTokens: sums?.unpricedTokens ?? 0,
    },
    questions: asked.toReversed().flatMap(questionsOf).slice(-MAX_EVIDENCE_QUESTIONS),
    questionCount: questions?.count ?? 0,
    files: (artifacts?.files ?? []).map((file) => fileOf(attemptId, file)),
    filesLeftOut: artifacts?.left_out ?? 0,
  };
}

/** Reads everything in one batch, so that all parts belong to the same moment. */
function read(db: Database, attempt: Evidenced) {
  const upToIt = and(
    eq(attempts.tracker, attempt.tracker),
    eq(attempts.issue_id, attempt.issue_id),
    lte(attempts.number, attempt.number),
    // Only tries of the work are a part of how it was made.
    inArray(attempts.kind, kindsThat('isTry')),
  );
  const { attempt_id: attemptId, number, status, outcome } = attempts;
  const ofThem = inArray(
    requests.attempt_id,
    db.select({ attemptId }).from(attempts).where(upToIt),
  );
  // What decides a plan is no question of its agent.
  const asks = sql<number>`json_array_length(${requests.questions}) - (${requests.plan} is not null)`;
  return db.batch([
    db
      .select({ attemptId, number, status, outcome })
      .from(attempts)
      .where(upToIt)
      .orderBy(desc(number))
      .limit(MAX_EVIDENCE_ATTEMPTS),
    db
      .select({
        attempts: count(),
        tokens: sql<number | null>`sum(json_extract(${attempts.tokens}, '$.total'))`,
        costUsd: sql<number | null>`sum(${attempts.cost_usd})`,
        unpricedTokens: sql<number | null>`sum(${attempts.unpriced_tokens})`,
      })
      .from(attempts)
      .where(upToIt),
    db
      .select()
      .from(requests)
      .where(and(ofThem, sql`${asks} > 0`))
      .orderBy(desc(requests.asked_at_ms), sql`requests.rowid desc`)
      .limit(MAX_EVIDENCE_QUESTIONS),
    db
      .select({ count: sql<number | null>`sum(${asks})` })
      .from(requests)
      .where(ofThem),
    db.select().from(attemptArtifacts).where(eq(attemptArtifacts.attempt_id, attempt.attempt_id)),
  ]);
}

/** One entry for each question of a request, with its answer. */
function questionsOf(request: RequestRow): EvidenceQuestion[] {
  // Agents choose the ids; a Map is safe where an id is a name of Object.prototype.
  const answered = new Map(Object.entries(request.answers ?? {}));
  return ownQuestions(request).map(({ id, question, isSecret }) => {
    const answers = answered.get(id);
    return {
      attemptId: request.attempt_id,
      question,
      answer: isSecret || answers === undefined ? null : answers.join(', '),
      answeredBy: answers === undefined ? null : request.answered_by,
      askedAt: new Date(request.asked_at_ms).toISOString(),
    };
  });
}

function fileOf(
  attemptId: string,
  { path, bytes, type, sha256 }: AttemptArtifactsRow['files'][number],
): AttemptEvidence['files'][number] {
  return { path, bytes, type, url: artifactUrl(attemptId, sha256) };
}

/** Path of this service that serves an artifact of an attempt. */
function artifactUrl(attemptId: string, sha256: string): string {
  return `/api/v1/attempts/${attemptId}/artifacts/${sha256}`;
}
