import { eq, and } from 'drizzle-orm';
import { commitSteps } from '../../db/commit-steps.ts';
import { agentSessions, type AgentSessionRow } from '../../db/schema/people/agent-sessions.ts';
import type { Deps } from '../../deps.ts';
import { recentAttemptEvents } from '../../observe/events/queries.ts';
import { type Draft, decideNext, type SessionUpdate, type Next, nextUpdate } from './decide.ts';
import { progressDrafts } from './progress-drafts.ts';
import { type Followed, followedSessions, isSession } from './queries.ts';
import { postActivity, sendStatement } from './post-activity.ts';
import { sessionStatus } from './session-status.ts';

/**
 * Most sessions handled in one run. The query keeps no position, so further ones may wait until
 * some of these no longer match it.
 */
const SESSIONS_PER_RUN = 500;
/** Newest events of an attempt that are read; older ones are on its page. */
const EVENTS_READ = 200;
/** How long an unknown issue may still be recorded by a webhook that is retried. */
const UNKNOWN_AFTER_MS = 10 * 60_000;

type FollowDeps = Pick<Deps, 'db' | 'clock' | 'trackers' | 'service' | 'redactor'>;

/** Sends every session what changed about its issue since its last update. */
export async function followSessions(deps: FollowDeps): Promise<void> {
  const nowMs = deps.clock.nowMs();
  const followed = await followedSessions(deps.db, nowMs, SESSIONS_PER_RUN);
  const running = followed.filter(({ issue }) => issue?.status === 'running').length;
  for (const each of followed) {
    const { session } = each;
    const isRecent = nowMs - session.created_at_ms < UNKNOWN_AFTER_MS;
    const news = each.issue === null && isRecent ? null : nextUpdate(sessionStatus(deps, each));
    const sent = {
      key: session.told,
      activityAtMs: session.activity_at_ms,
      dueAtMs: session.due_at_ms,
      waiting: each.waiting,
    };
    await tell(deps, each, decideNext(news, sent, { nowMs, running }));
  }
}

async function tell(deps: FollowDeps, followed: Followed, next: Next): Promise<void> {
  const { db } = deps;
  const { session } = followed;
  const nowMs = deps.clock.nowMs();
  switch (next.kind) {
    case 'nothing':
      return;
    case 'news': {
      const { key, after, ...draft } = next.news;
      const state = after === 'ended' ? 'resting' : 'open';
      const changes = { told: key, state, due_at_ms: next.dueAtMs } as const;
      return write(deps, session, { drafts: [draft], changes });
    }
    case 'progress': {
      const { drafts, seq } = await progressOf(deps, followed, next.again);
      return write(deps, session, {
        drafts,
        changes: { due_at_ms: next.dueAtMs, told_seq: Math.max(seq, session.told_seq) },
      });
    }
    case 'again':
    case 'later':
      await db.batch([
        db
          .update(agentSessions)
          .set({ due_at_ms: next.dueAtMs })
          .where(
            and(
              isSession({ tracker: session.tracker, sessionId: session.session_id }),
              eq(agentSessions.version, session.version),
            ),
          ),
        ...(next.kind === 'again' ? [sendStatement(db, nowMs, session)] : []),
      ]);
  }
}

async function progressOf(
  { db, redactor }: FollowDeps,
  { session, attempt }: Followed,
  again: SessionUpdate | null,
): Promise<{ drafts: Draft[]; seq: number }> {
  const events =
    attempt === null ? [] : await recentAttemptEvents(db, attempt.attempt_id, EVENTS_READ);
  const drafts = progressDrafts(redactor.value(events.filter(({ seq }) => seq > session.told_seq)));
  const seq = events.at(-1)?.seq ?? 0;
  if (drafts.length > 0 || again === null) return { drafts, seq };
  return { drafts: [{ content: again.content, ephemeral: true }], seq };
}

async function write(
  deps: FollowDeps,
  session: AgentSessionRow,
  input: Parameters<typeof postActivity>[3],
): Promise<void> {
  // On a conflict a person has just written, and the next run decides again.
  await commitSteps(deps.db, await postActivity(deps.db, deps.clock.nowMs(), session, input));
}
