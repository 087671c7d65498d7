import { and, desc, eq, gte, lt, ne, or } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import { type AttemptRow, attempts } from '../db/schema/work/attempts.ts';
import {
  codeHostUpstream,
  providerUpstream,
  upstreamWords,
} from './upstreams/provider-upstream.ts';
import { type Ending, PROVIDER_FAILURES } from './decide.ts';

const MAX_EARLIER = 20;
const MAX_OTHERS = 200;

/** The upstream that an ending blames, as it is named where it is paused. */
export function blamedUpstream(attempt: AttemptRow, ending: Pick<Ending, 'upstream'>): string {
  return ending.upstream === 'codehost'
    ? codeHostUpstream(attempt.repository_url)
    : providerUpstream(attempt.spec.engine.provider.baseUrl, attempt.spec.engine.account);
}

/** Every upstream that an attempt needs. */
function upstreamsOf(attempt: AttemptRow): string[] {
  return [blamedUpstream(attempt, {}), codeHostUpstream(attempt.repository_url)];
}

/**
 * Gives a failure of an upstream to the issue itself once the evidence says so: the issue failed
 * there before, and since then the last that other issues saw of that upstream was a success. Such
 * a failure is an `agent_error`, uses a try and pauses nothing. A limit that names its reset time
 * is the provider's word and stays.
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
  const why = `other issues succeed with the same ${upstreamWords(upstream).replace(/^the /, '')}`;
  const message = `${ending.message ?? 'it failed'} (${why}, so this is the issue's own failure)`;
  return { ...ending, failureKind: 'agent_error', code: 'agent_error', message };
}

/** When the present row of failures of this issue first met that upstream; null: not yet. */
async function firstFailureMs(
  db: Database,
  attempt: AttemptRow,
  upstream: string,
): Promise<number | null> {
  const earlier = await db
    .select()
    .from(attempts)
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
      // What it met on another account says nothing about this one.
      upstreamsOf(one).includes(upstream),
  );
  return first?.ended_at_ms ?? null;
}

/** What attempts of other issues that began since then last saw of an upstream. */
async function lastEvidence(
  db: Database,
  attempt: AttemptRow,
  upstream: string,
  sinceMs: number,
): Promise<'success' | 'failure' | null> {
  const others = await db
    .select()
    .from(attempts)
    .where(
      and(
        gte(attempts.queued_at_ms, sinceMs),
        or(ne(attempts.issue_id, attempt.issue_id), ne(attempts.tracker, attempt.tracker)),
      ),
    )
    .orderBy(desc(attempts.queued_at_ms))
    .limit(MAX_OTHERS);
  const seen = others
    .filter((other) => upstreamsOf(other).includes(upstream))
    .map((other) => ({ atMs: other.ended_at_ms ?? other.started_at_ms, saw: evidenceOf(other) }))
    .filter(({ saw }) => saw !== null)
    .toSorted((a, b) => (b.atMs ?? 0) - (a.atMs ?? 0));
  return seen[0]?.saw ?? null;
}

/** A model that answered or work that was completed proves its upstreams. */
function evidenceOf(other: AttemptRow): 'success' | 'failure' | null {
  if (other.failure_kind !== null && PROVIDER_FAILURES.has(other.failure_kind)) return 'failure';
  return other.outcome === 'completed' || other.tokens.total > 0 ? 'success' : null;
}
