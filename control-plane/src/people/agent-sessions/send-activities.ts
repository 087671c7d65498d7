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
 * Sends a session's waiting activities to the tracker in order, then links the dashboard page of
 * the issue or attempt there. Idempotent, also when run twice at once, since activities have ids.
 * Throws `JobRefused` when the session is unknown or known to be gone, and the tracker's error; a
 * refused link is only logged.
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
      // An ephemeral activity that a later one would replace at once is skipped.
      const isPassed = row.ephemeral && at < waiting.length - 1;
      const outcome = isPassed ? 'dropped' : await say(deps, port, row);
      if (outcome === 'gone') return leave(deps, key);
      await note(deps, row, outcome);
    }
    more = waiting.length === PER_RUN;
  }
  await showPage(deps, port, session);
}

/** Sends at once, because a person is watching; if that fails, the queued job sends it. */
export async function sendActivitiesNow(
  deps: SendDeps,
  { tracker, sessionId }: SessionKey,
): Promise<void> {
  try {
    await sendActivities(deps, { tracker, sessionId });
  } catch (error) {
    const message = messageOf(error);
    deps.logger.warn('an agent session waits for its words', { sessionId, error: message });
  }
}

async function say(deps: SendDeps, port: AgentSessions, row: AgentActivityRow) {
  const { content, activity_id: id, session_id: sessionId, ephemeral, options } = row;
  // A person's message is stored here but is never sent.
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

/** Ends a session that people have ended in the tracker: nothing more is sent to it. */
async function leave({ db }: SendDeps, key: SessionKey): Promise<void> {
  await db.update(agentSessions).set({ state: 'gone', due_at_ms: null }).where(isSession(key));
}

/** Links the issue's page; with an attempt that runs, also delegates the issue to the agent. */
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
    // A link that the tracker refuses is only logged; any other error makes the job retry.
    const message = messageOf(error);
    deps.logger.warn('an agent session has no link', { sessionId, error: message });
    if (!(error instanceof Error && 'isRefusal' in error && error.isRefusal === true)) throw error;
  }
  await db.update(agentSessions).set({ linked_url: url }).where(isSession({ tracker, sessionId }));
}
