import { and, desc, eq, gte, inArray, lt, ne, or, sql } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import { type AttemptRow, attempts } from '../db/schema/work/attempts.ts';
import { threadUsage } from '../db/schema/work/usage.ts';
import {
  codeHostUpstream,
  isCodeHost,
  providerUpstream,
  upstreamMessage,
} from './upstreams/provider-upstream.ts';
import { type Ending, PROVIDER_FAILURES } from './decide.ts';

const MAX_EARLIER = 20;
const MAX_OTHERS = 200;
/** Longest duration of an attempt whose failure is still considered. */
const MAX_ATTEMPT_MS = 24 * 3_600_000;
const STALLED = { outcome: 'stalled', failureKind: 'turn_stalled', code: 'turn_stalled' } as const;

/** The upstream that an ending blames, by the name under which it is paused. */
export function blamedUpstream(attempt: AttemptRow, ending: Pick<Ending, 'upstream'>): string {
  return ending.upstream === 'codehost'
    ? codeHostUpstream(attempt.repository_url)
    : providerUpstream(attempt.spec.engine.provider.baseUrl, attempt.spec.engine.account);
}

/** Columns that show how an attempt fared with its upstreams; the rest of the row is large. */
const seenColumns = {
  repository_url: attempts.repository_url,
  failure_kind: attempts.failure_kind,
  outcome: attempts.outcome,
  tokens: attempts.tokens,
  started_at_ms: attempts.started_at_ms,
  ended_at_ms: attempts.ended_at_ms,
  providerUrl: sql<string>`${attempts.spec} ->> '$.engine.provider.baseUrl'`,
  providerAccount: sql<string | null>`${attempts.spec} ->> '$.engine.account'`,
};

function seenAttempts(db: Database) {
  return db.select(seenColumns).from(attempts);
}
type SeenAttempt = Awaited<ReturnType<typeof seenAttempts>>[number];

/** The upstreams that an attempt needs: its model provider and its code host. */
function upstreamsOf(seen: SeenAttempt): string[] {
  const { providerUrl, providerAccount, repository_url: repositoryUrl } = seen;
  const provider = providerUpstream(providerUrl, providerAccount ?? undefined);
  return [provider, codeHostUpstream(repositoryUrl)];
}

/**
 * Attributes an upstream's failure to the issue itself if the issue failed there before and the
 * latest attempts of other issues succeeded with that upstream. The failure becomes an
 * `agent_error`, which counts as a retry and pauses nothing; a silent model becomes a stalled turn.
 * A limit with a reset time is the provider's statement and stays.
 */
export async function judgeUpstreamFailure(
  db: Database,
  attempt: AttemptRow,
  ending: Ending,
): Promise<Ending> {
  const { failureKind } = ending;
  if (failureKind === null || !PROVIDER_FAILURES.has(failureKind)) return ending;
  if (ending.resetAtMs !== null) return ending;
  const upstream = blamedUpstream(attempt, ending);
  const sinceMs = await firstFailureMs(db, attempt, upstream);
  if (sinceMs === null) return ending;
  if ((await lastEvidence(db, attempt, upstream, sinceMs)) !== 'success') return ending;
  const why = `other issues succeed with the same ${upstreamMessage(upstream).replace(/^the /, '')}`;
  const message = `${ending.message ?? 'it failed'} (${why}, so this is the issue's own failure)`;
  if (ending.code === 'provider_silent') return { ...ending, ...STALLED, message };
  return { ...ending, failureKind: 'agent_error', code: 'agent_error', message };
}

/** When this issue's current series of failures first met that upstream; null when it has not. */
async function firstFailureMs(
  db: Database,
  attempt: AttemptRow,
  upstream: string,
): Promise<number | null> {
  const earlier = await seenAttempts(db)
    .where(
      and(
        eq(attempts.tracker, attempt.tracker),
        eq(attempts.issue_id, attempt.issue_id),
        lt(attempts.number, attempt.number),
      ),
    )
    .orderBy(desc(attempts.number))
    .limit(MAX_EARLIER);
  const success = earlier.findIndex((one) => one.failure_kind === null);
  const row = success === -1 ? earlier : earlier.slice(0, success);
  const first = row.findLast(
    (one) =>
      one.failure_kind !== null &&
      PROVIDER_FAILURES.has(one.failure_kind) &&
      // A failure on another account says nothing about this one.
      upstreamsOf(one).includes(upstream),
  );
  return first?.ended_at_ms ?? null;
}

/**
 * The newest result of other issues' attempts with that upstream since `sinceMs`; null when there
 * is none.
 */
async function lastEvidence(
  db: Database,
  attempt: AttemptRow,
  upstream: string,
  sinceMs: number,
): Promise<'success' | 'failure' | null> {
  const { queued_at_ms: queuedAtMs } = attempts;
  const failedSince = and(
    gte(attempts.ended_at_ms, sinceMs),
    inArray(attempts.failure_kind, [...PROVIDER_FAILURES]),
  );
  const others = await seenAttempts(db)
    .where(
      and(
        gte(queuedAtMs, sinceMs - MAX_ATTEMPT_MS),
        or(gte(queuedAtMs, sinceMs), failedSince),
        ofOthers(attempt),
      ),
    )
    .orderBy(desc(attempts.queued_at_ms))
    .limit(MAX_OTHERS);
  // Only answers count that came after this attempt had started: a model that answered earlier does
  // not disprove an outage since.
  const askedMs = Math.max(sinceMs, attempt.started_at_ms ?? 0);
  const answered = isCodeHost(upstream) ? [] : await answeredSince(db, attempt, askedMs);
  const seen = [
    ...others.map((other) => ({
      other,
      saw: evidenceOf(other),
      atMs: other.ended_at_ms ?? other.started_at_ms ?? 0,
    })),
    ...answered.map(({ other, atMs }) => ({ other, saw: 'success' as const, atMs })),
  ];
  const newest = seen
    .filter(({ other, saw }) => saw !== null && upstreamsOf(other).includes(upstream))
    .toSorted((a, b) => b.atMs - a.atMs);
  return newest[0]?.saw ?? null;
}

/** Running attempts of other issues whose model has answered since `sinceMs`. */
function answeredSince(db: Database, attempt: AttemptRow, sinceMs: number) {
  const { thread_id: lease, updated_at_ms: atMs } = threadUsage;
  return db
    .select({ other: seenColumns, atMs })
    .from(attempts)
    .innerJoin(
      threadUsage,
      and(
        sql`${lease} > ${attempts.attempt_id} || '/' and ${lease} < ${attempts.attempt_id} || '0'`,
        gte(atMs, sinceMs),
        sql`${threadUsage.tokens} ->> '$.total' > 0`,
      ),
    )
    .where(and(eq(attempts.status, 'running'), ofOthers(attempt)))
    .limit(MAX_OTHERS);
}

function ofOthers(attempt: AttemptRow) {
  return or(ne(attempts.issue_id, attempt.issue_id), ne(attempts.tracker, attempt.tracker));
}

/** An answer of a model, or completed work, proves that the attempt's upstreams work. */
function evidenceOf(other: SeenAttempt): 'success' | 'failure' | null {
  if (other.failure_kind !== null && PROVIDER_FAILURES.has(other.failure_kind)) return 'failure';
  return other.outcome === 'completed' || other.tokens.total > 0 ? 'success' : null;
}
