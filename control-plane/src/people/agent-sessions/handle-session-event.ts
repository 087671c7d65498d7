import { messageOf } from '@switchyard/shared/message-of';
import { commitSteps } from '../../db/commit-steps.ts';
import { SERVICE_CALLER } from '../../http/caller/caller.ts';
import { agentActivities } from '../../db/schema/people/agent-sessions.ts';
import type { Deps } from '../../deps.ts';
import { issueById } from '../../issues/queries.ts';
import { refuseUnreadable } from '../../ports/tracker/refuse-unreadable.ts';
import { syncIssues } from '../../issues/sync/sync-tracker-issues.ts';
import type { ActivityMessage } from './decide.ts';
import { handlePrompt } from './handle-prompt.ts';
import type { SessionInput, IssueInput } from './session-input.ts';
import { openSession, replaceOthers } from './open-session.ts';
import { type SessionKey, sessionById, isHandled } from './queries.ts';
import { postActivity } from './post-activity.ts';
import { sendActivities } from './send-activities.ts';
import { startWork } from './start-work.ts';

/** Retries when the coordinator writes at the same time. */
const WRITES = 5;
const NOT_ALLOWED = 'Only people named in `tracker.allowedAuthors` can give work here.';

/**
 * Opens a session and replies at once, or handles a person's message in it. Repeated, late or
 * reordered events are harmless. Throws the tracker's error, to be called again.
 */
export async function handleSessionEvent(deps: Deps, heard: SessionInput): Promise<void> {
  const { issueId, isAllowed } = heard;
  const eventId = heard.prompt?.activityId ?? `opened:${heard.sessionId}`;
  if (await isHandled(deps.db, eventId)) return;
  const path = `agent-session:${heard.sessionId}`;
  const caller = { ...SERVICE_CALLER, actor: heard.person, path };
  const isNew = (await sessionById(deps.db, heard)) === null;
  await openSession(deps, { ...heard, caller, refusal: isAllowed ? null : NOT_ALLOWED });
  if (isNew) await sendNow(deps, heard);
  if (!isAllowed) {
    if (!isNew) await reply(deps, heard, { type: 'thought', body: NOT_ALLOWED });
  } else if (issueId !== null) {
    const said = await takeUp(deps, { ...heard, issueId, caller });
    if (said !== null) await reply(deps, heard, said);
  }
  await recordHandled(deps, heard, eventId);
  deps.wake();
}

/**
 * Handles an event about an issue and returns the immediate reply; null: only updates from the rows
 * follow.
 */
async function takeUp(
  deps: Pick<Deps, 'db' | 'clock' | 'connections' | 'config' | 'trackers' | 'wake'>,
  heard: IssueInput,
): Promise<ActivityMessage | null> {
  const key = { tracker: heard.tracker, id: heard.issueId };
  const tracker = deps.trackers.get(heard.tracker);
  const known = await issueById(deps.db, key);
  // A message about a recorded issue needs no sync: a stop must not wait for the tracker.
  if (tracker !== undefined && (heard.prompt === null || known === null)) {
    const { unreadable } = await syncIssues(deps, tracker, [heard.issueId], {
      withInactive: true,
    });
    // The issue is not recorded yet, so the webhook fails and is retried.
    if (known === null) unreadable.forEach(refuseUnreadable);
  }
  const issue = await issueById(deps.db, key);
  if (issue === null) return null;
  if (heard.prompt !== null) return handlePrompt(deps, issue, heard);
  await startWork(deps, issue, heard);
  return null;
}

/** Stores a reply to a person's message; from then on the session gets updates about the issue. */
async function reply(
  deps: Pick<Deps, 'db' | 'clock' | 'logger' | 'service' | 'trackers'>,
  heard: SessionInput,
  content: ActivityMessage,
): Promise<void> {
  const { db, clock } = deps;
  for (let writes = 0; writes < WRITES; writes += 1) {
    const session = await sessionById(db, heard);
    if (session === null || session.state === 'gone') return;
    const isBack = heard.isAllowed && session.state === 'replaced';
    const input = {
      drafts: [{ content }],
      changes: isBack ? ({ state: 'open', told: null } as const) : {},
    };
    const steps = [
      ...(await postActivity(db, clock.nowMs(), session, input)),
      ...(isBack ? await replaceOthers(deps, session) : []),
    ];
    if ((await commitSteps(deps.db, steps)) !== null) break;
  }
  await sendNow(deps, heard);
}

/** Sends at once, because a person is watching; if that fails, the queued job sends it. */
async function sendNow(
  deps: Pick<Deps, 'db' | 'logger' | 'service' | 'trackers'>,
  { tracker, sessionId }: SessionKey,
): Promise<void> {
  try {
    await sendActivities(deps, { tracker, sessionId });
  } catch (error) {
    const message = messageOf(error);
    deps.logger.warn('an agent session waits for its words', { sessionId, error: message });
  }
}

async function recordHandled(
  deps: Pick<Deps, 'db' | 'clock'>,
  heard: SessionInput,
  eventId: string,
): Promise<void> {
  await deps.db
    .insert(agentActivities)
    .values({
      activity_id: eventId,
      tracker: heard.tracker,
      session_id: heard.sessionId,
      content: { type: 'prompt', body: heard.words?.text ?? '', by: heard.person },
      outcome: 'heard',
      created_at_ms: deps.clock.nowMs(),
    })
    .onConflictDoNothing();
}
