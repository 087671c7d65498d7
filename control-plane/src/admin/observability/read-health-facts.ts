import { and, count, eq, isNull, min, notInArray, sql } from 'drizzle-orm';
import { z } from 'zod';
import { pausedUpstreams } from '../../attempts/upstreams/queries.ts';
import { configHealth } from '../../config/config-health.ts';
import { jobs } from '../../db/schema/operation/jobs.ts';
import { runners } from '../../db/schema/runners/runners.ts';
import type { Deps } from '../../deps.ts';
import { getWebhookHealth } from '../../inbox/get-webhook-health.ts';
import { readPause } from '../../issues/pause/queries.ts';
import { readCommentCursor } from '../../issues/sync/comment-cursor.ts';
import { unreadableIssues } from '../../issues/sync/unreadable-issues.ts';
import { WORKSPACE_REMOVAL } from '../../jobs/queue/effect.ts';
import { readTimers, TIMER } from '../../jobs/queue/set-timer.ts';
import { listChannels } from '../../people/channels/list-channels.ts';
import type { HealthFacts } from './decide.ts';

const Poll = z.object({
  status: z.string(),
  atMs: z.number(),
  sinceMs: z.number(),
  error: z.string().nullable(),
  intervalMs: z.number().nullable().catch(null),
  allowanceLeft: z.number().nullable().catch(null),
});

/** Reads what the health of the service and its dependencies is judged by. */
export async function readHealthFacts(
  deps: Pick<Deps, 'db' | 'clock' | 'config' | 'resolveSecret' | 'service'>,
): Promise<HealthFacts> {
  const { db } = deps;
  const startedMs = performance.now();
  await db.get(sql`select 1`);
  const databaseMs = performance.now() - startedMs;
  const config = await deps.config.load();
  const [
    timers,
    runnerRows,
    outboxRow,
    webhooks,
    upstreams,
    channels,
    pause,
    unreadable,
    comments,
  ] = await Promise.all([
    readTimers(db),
    db.select().from(runners).where(isNull(runners.revoked_at_ms)),
    outboxFacts(deps),
    getWebhookHealth(deps),
    pausedUpstreams(db),
    listChannels(deps),
    readPause(db),
    unreadableIssues(db, config.tracker.kind),
    readCommentCursor(db, config.tracker.kind),
  ]);
  const poll = Poll.safeParse(timers.of('poll').payload);
  const usualMs = Math.max(config.polling.intervalMs, webhooks.polling.intervalMs);
  return {
    nowMs: deps.clock.nowMs(),
    leads: deps.service.role === 'active',
    leadsSinceMs: deps.service.leadsSinceMs,
    databaseMs,
    poll: poll.success ? poll.data : null,
    pollIntervalMs: usualMs,
    unreadable,
    comments,
    runners: runnerRows.map((row) => ({
      connected: row.connected,
      draining: row.draining,
      lastSeenAtMs: row.last_seen_at_ms,
    })),
    webhooks: webhooks.providers,
    refusals: webhooks.refusals,
    outbox: outboxRow,
    config: configHealth(deps.config),
    upstreams: upstreams.map((row) => ({
      upstream: row.upstream,
      reason: row.reason,
      sinceMs: row.since_ms,
      dueAtMs: row.due_at_ms,
    })),
    channels,
    paused: pause === null ? null : { reason: pause.reason, sinceMs: pause.sinceMs },
  };
}

/** Both statuses are read through their index; done jobs are not read. */
async function outboxFacts({ db }: Pick<Deps, 'db'>): Promise<HealthFacts['outbox']> {
  const isEffect = notInArray(jobs.kind, [TIMER, WORKSPACE_REMOVAL]);
  const [[waiting], [dead]] = await Promise.all([
    db
      .select({
        pending: count(),
        retried: sql<number>`coalesce(sum(${jobs.tries} > 0), 0)`,
        oldestMs: min(jobs.created_at_ms),
      })
      .from(jobs)
      .where(and(eq(jobs.status, 'pending'), isEffect)),
    db
      .select({ dead: count() })
      .from(jobs)
      .where(and(eq(jobs.status, 'dead'), isEffect)),
  ]);
  return {
    pending: waiting?.pending ?? 0,
    retried: waiting?.retried ?? 0,
    oldestMs: waiting?.oldestMs ?? null,
    dead: dead?.dead ?? 0,
  };
}
