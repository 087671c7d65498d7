import { and, count, desc, eq, inArray, isNull, or, sql } from 'drizzle-orm';
import type { Database } from '../../db/database.ts';
import {
  agentActivities,
  type AgentActivityRow,
  agentSessions,
  type AgentSessionRow,
} from '../../db/schema/people/agent-sessions.ts';
import { type AttemptRow, attempts } from '../../db/schema/work/attempts.ts';
import { type IssueRow, issues } from '../../db/schema/work/issues.ts';
import { type RequestRow, requests } from '../../db/schema/work/requests.ts';
import type { RunnerConnections } from '../../ports/ports.ts';
import { runners } from '../../db/schema/runners/runners.ts';

export type SessionKey = { tracker: string; sessionId: string };

export function isSession({ tracker, sessionId }: SessionKey) {
  return and(eq(agentSessions.tracker, tracker), eq(agentSessions.session_id, sessionId));
}

export async function sessionById(db: Database, key: SessionKey): Promise<AgentSessionRow | null> {
  const [row] = await db.select().from(agentSessions).where(isSession(key));
  return row ?? null;
}

/** Sessions of an issue that get its updates, newest first. */
export async function sessionsToUpdate(
  db: Database,
  issue: { tracker: string; id: string },
): Promise<AgentSessionRow[]> {
  return db
    .select()
    .from(agentSessions)
    .where(
      and(
        eq(agentSessions.tracker, issue.tracker),
        eq(agentSessions.issue_id, issue.id),
        inArray(agentSessions.state, ['open', 'resting']),
      ),
    )
    .orderBy(desc(agentSessions.created_at_ms));
}

/**
 * Whether a comment belongs to a session's conversation, or was written by the agent's own account.
 */
export async function belongsToSession(
  db: Database,
  tracker: string,
  comment: { parentId: string | null; personId: string },
): Promise<boolean> {
  const [row] = await db
    .select({ id: agentSessions.session_id })
    .from(agentSessions)
    .where(
      and(
        eq(agentSessions.tracker, tracker),
        or(
          eq(agentSessions.app_user_id, comment.personId),
          comment.parentId === null ? undefined : eq(agentSessions.thread_id, comment.parentId),
        ),
      ),
    )
    .limit(1);
  return row !== undefined;
}

/** The columns of an attempt that an update uses; the whole row includes its prompts. */
export type UpdatedAttempt = Pick<AttemptRow, 'attempt_id' | 'number' | 'summary'>;

export type Followed = {
  session: AgentSessionRow;
  issue: IssueRow | null;
  attempt: UpdatedAttempt | null;
  asked: RequestRow | null;
  waiting: number;
};

/** Sessions that may need an update, with the rows it is made from. */
export async function followedSessions(
  db: Database,
  nowMs: number,
  limit: number,
): Promise<Followed[]> {
  const rows = await db
    .select({
      session: agentSessions,
      issue: issues,
      attempt: {
        attempt_id: attempts.attempt_id,
        number: attempts.number,
        summary: attempts.summary,
      },
    })
    .from(agentSessions)
    .leftJoin(
      issues,
      and(eq(issues.tracker, agentSessions.tracker), eq(issues.id, agentSessions.issue_id)),
    )
    .leftJoin(attempts, eq(attempts.attempt_id, issues.current_attempt_id))
    // Each part uses its own index, because resting sessions become many.
    .where(
      sql`${agentSessions}.rowid in (
        select rowid from agent_sessions where state = 'open'
        union all select rowid from agent_sessions where state = 'resting' and due_at_ms <= ${nowMs}
        union all select s.rowid from issues i
          join agent_sessions s on s.tracker = i.tracker and s.issue_id = i.id
          where i.status in ('queued', 'running', 'retrying') and s.state = 'resting')`,
    )
    .limit(limit);
  if (rows.length === 0) return [];
  const attemptIds = rows.flatMap(({ attempt }) => (attempt === null ? [] : attempt.attempt_id));
  const [asked, waiting] = await db.batch([
    db
      .select()
      .from(requests)
      .where(and(inArray(requests.attempt_id, attemptIds), eq(requests.state, 'asked')))
      .orderBy(desc(requests.asked_at_ms)),
    db
      .select({ sessionId: agentActivities.session_id, count: count() })
      .from(agentActivities)
      .where(eq(agentActivities.outcome, 'waiting'))
      .groupBy(agentActivities.session_id),
  ]);
  const waitingOf = new Map(waiting.map((row) => [row.sessionId, row.count]));
  return rows.map((row) => ({
    ...row,
    asked: asked.find((request) => request.attempt_id === row.attempt?.attempt_id) ?? null,
    waiting: waitingOf.get(row.session.session_id) ?? 0,
  }));
}

/** The unsent activities of a session, in order. */
export async function waitingActivities(
  db: Database,
  { tracker, sessionId }: SessionKey,
  limit: number,
): Promise<AgentActivityRow[]> {
  return db
    .select()
    .from(agentActivities)
    .where(
      and(
        eq(agentActivities.tracker, tracker),
        eq(agentActivities.session_id, sessionId),
        eq(agentActivities.outcome, 'waiting'),
      ),
    )
    .orderBy(agentActivities.entry)
    .limit(limit);
}

/** Whether a person's message was handled before. */
export async function isHandled(db: Database, activityId: string): Promise<boolean> {
  const [row] = await db
    .select({ entry: agentActivities.entry })
    .from(agentActivities)
    .where(eq(agentActivities.activity_id, activityId));
  return row !== undefined;
}

/** Whether a connected runner may get work. */
export async function anyRunnerConnected({
  db,
  connections,
}: {
  db: Database;
  connections: Pick<RunnerConnections, 'connected'>;
}): Promise<boolean> {
  const rows = await db
    .select({ id: runners.runner_id })
    .from(runners)
    .where(and(isNull(runners.revoked_at_ms), eq(runners.draining, false)));
  return (await connections.connected(rows.map(({ id }) => id))).size > 0;
}
