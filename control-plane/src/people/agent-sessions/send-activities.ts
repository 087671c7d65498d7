import { messageOf } from '@switchyard/shared/message-of';
import { eq } from 'drizzle-orm';
import { attemptById } from '../../attempts/queries.ts';
import {
  agentActivities,
  type AgentActivityRow,
  agentSessions,
  type AgentSessionRow,
} from '../../db/schema/people/agent-sessions.ts';
import type { Deps } from '../../deps.ts';
import { issueById } from '../../issues/queries.ts';
import { JobRefused } from '../../jobs/queue/run-jobs.ts';
import type { AgentSessions } from '../../ports/tracker/agent-sessions.ts';
import { pageOf } from './page-of.ts';
import { isSession, type SessionKey, sessionById, waitingActivities } from './queries.ts';

const PER_RUN = 20;

type SendDeps = Pick<Deps, 'db' | 'trackers' | 'service' | 'logger'>;

/**
 * Says in a session what waits, in order, and shows where the work can be followed. Safe to repeat
 * and to run twice at a time: activities have ids of their own. Throws the tracker's error.
 */
export async function sendActivities(deps: SendDeps, key: SessionKey): Promise<void> {
  const port = deps.trackers.get(key.tracker)?.agentSessions;
  const session = await sessionById(deps.db, key);
  if (port === undefined || session === null || session.state === 'gone') {
    throw new JobRefused('the agent session is gone');
  }
  for (let more = true; more;) {
    const waiting = await waitingActivities(deps.db, key, PER_RUN);
    for (const [at, row] of waiting.entries()) {
      // What disappears with the next one need not be said after it.
      const isPassed = row.ephemeral && at < waiting.length - 1;
      const outcome = isPassed ? 'dropped' : await say(deps, port, row);
      if (outcome === 'gone') return leave(deps, key);
      await note(deps, row, outcome);
    }
    more = waiting.length === PER_RUN;
  }
  await showPage(deps, port, session);
}

async function say(deps: SendDeps, port: AgentSessions, row: AgentActivityRow) {
  const { content, activity_id: id, session_id: sessionId, ephemeral, options } = row;
  // A person's words are stored here and never waiting.
  if (content.type === 'prompt') return 'heard' as const;
  const outcome = await port.say({ id, sessionId, content, ephemeral, options });
  if (outcome === 'refused') deps.logger.warn('an agent activity was refused', { sessionId, id });
  return outcome;
}

async function note(
  { db }: SendDeps,
  row: AgentActivityRow,
  outcome: AgentActivityRow['outcome'],
): Promise<void> {
  await db.update(agentActivities).set({ outcome }).where(eq(agentActivities.entry, row.entry));
}

/** People ended the session: nothing is said in it any more. */
async function leave({ db }: SendDeps, key: SessionKey): Promise<void> {
  await db.update(agentSessions).set({ state: 'gone', due_at_ms: null }).where(isSession(key));
}

/** The attempt's page, and with its first one the issue becomes the agent's. */
async function showPage(
  { db, service, ...deps }: SendDeps,
  port: AgentSessions,
  session: AgentSessionRow,
): Promise<void> {
  const { tracker, session_id: sessionId } = session;
  if (session.state !== 'open') return;
  const issue = await issueById(db, { tracker, id: session.issue_id });
  if (issue === null) return;
  const attemptId = issue.current_attempt_id;
  const url = pageOf(service.publicOrigin, issue.identifier, attemptId);
  if (url === null || url === session.linked_url) return;
  const attempt = attemptId === null ? null : await attemptById(db, attemptId);
  const label = attempt === null ? issue.identifier : `Attempt ${attempt.number}`;
  try {
    await port.link(sessionId, { url, label });
    if (attempt?.status === 'running') await port.takeOver(issue.id, session.app_user_id);
  } catch (error) {
    // It goes without a link; what was to be said is said.
    const message = messageOf(error);
    deps.logger.warn('an agent session has no link', { sessionId, error: message });
    if (!(error instanceof Error && 'isRefusal' in error && error.isRefusal === true)) throw error;
  }
  await db.update(agentSessions).set({ linked_url: url }).where(isSession({ tracker, sessionId }));
}
