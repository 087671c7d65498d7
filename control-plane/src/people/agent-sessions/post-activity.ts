import { cutText } from '@switchyard/shared/text/cut-text';
import { and, eq, sql } from 'drizzle-orm';
import { expectRowsAffected, type Step } from '../../db/commit-steps.ts';
import type { Database, Statement } from '../../db/database.ts';
import {
  agentActivities,
  agentSessions,
  type AgentSessionRow,
} from '../../db/schema/people/agent-sessions.ts';
import { enqueueEffect } from '../../jobs/queue/enqueue-effect.ts';
import { derivedUuid } from '../../derived-uuid.ts';
import type { Draft } from './decide.ts';
import { isSession } from './queries.ts';

const MAX_BODY_CHARS = 10_000;

type Seen = Pick<AgentSessionRow, 'tracker' | 'session_id' | 'issue_id' | 'version'>;
type Changes = Partial<
  Pick<AgentSessionRow, 'state' | 'told' | 'told_seq' | 'due_at_ms' | 'thread_id'>
>;

/**
 * Statements that change a session, if it is as it was read, and add activities in order. Their ids
 * derive from the session's version, so that a repeated decision is sent once.
 */
export async function postActivity(
  db: Database,
  nowMs: number,
  session: Seen,
  input: { drafts: readonly Draft[]; changes: Changes },
): Promise<Step[]> {
  const key = { tracker: session.tracker, sessionId: session.session_id };
  const spoken = input.drafts.length === 0 ? {} : { activity_at_ms: nowMs };
  return [
    expectRowsAffected(
      db
        .update(agentSessions)
        .set({ ...input.changes, ...spoken, version: sql`${agentSessions.version} + 1` })
        .where(and(isSession(key), eq(agentSessions.version, session.version))),
    ),
    ...(await activityStatements(db, nowMs, session, input.drafts)),
  ];
}

/** The statements for activities alone, for the batch that also creates the session. */
export async function activityStatements(
  db: Database,
  nowMs: number,
  session: Seen,
  drafts: readonly Draft[],
): Promise<Statement[]> {
  const rows = [];
  for (const [at, draft] of drafts.entries()) {
    rows.push({
      activity_id: await derivedUuid(
        'agent-activity',
        session.session_id,
        session.version,
        at,
        draft,
      ),
      tracker: session.tracker,
      session_id: session.session_id,
      content: bounded(draft.content),
      ephemeral: draft.ephemeral ?? false,
      options: draft.options ?? null,
      outcome: 'waiting' as const,
      created_at_ms: nowMs,
    });
  }
  const inserts = rows.length === 0 ? [] : [db.insert(agentActivities).values(rows)];
  return [...inserts, sendStatement(db, nowMs, session)];
}

/** Enqueues the job that sends a session's activities to its tracker. */
export function sendStatement(
  db: Database,
  nowMs: number,
  session: Pick<Seen, 'tracker' | 'session_id' | 'issue_id'>,
): Statement {
  return enqueueEffect(db, nowMs, {
    key: `agent-session:${session.tracker}:${session.session_id}`,
    effect: { kind: 'tracker.agent_session', sessionId: session.session_id },
    subject: { tracker: session.tracker, issueId: session.issue_id, attemptId: null },
    repeat: true,
  });
}

function bounded(content: Draft['content']): Draft['content'] {
  if (content.type === 'action') return content;
  return { ...content, body: cutText(content.body, MAX_BODY_CHARS, '…') };
}
