import { commitSteps } from '../../db/commit-steps.ts';
import { SERVICE_CALLER } from '../../http/caller/caller.ts';
import { agentActivities } from '../../db/schema/people/agent-sessions.ts';
import type { Bound, Deps } from '../../deps.ts';
import type { ActivityMessage } from './decide.ts';
import type { SessionInput } from './session-input.ts';
import { type openSession, replaceOthers } from './open-session.ts';
import type { sendActivitiesNow } from './send-activities.ts';
import type { takeUpIssue } from './take-up-issue.ts';
import { sessionById, isHandled } from './queries.ts';
import { postActivity } from './post-activity.ts';

type SessionDeps = Pick<Deps, 'db' | 'clock' | 'wake'> & {
  openSession: Bound<typeof openSession>;
  takeUpIssue: Bound<typeof takeUpIssue>;
  sendActivitiesNow: Bound<typeof sendActivitiesNow>;
};

/** Retries when the coordinator writes at the same time. */
const WRITES = 5;
const NOT_ALLOWED = 'Only people named in `tracker.allowedAuthors` can give work here.';

/**
 * Opens a session and replies at once, or handles a person's message in it. Repeated, late or
 * reordered events are harmless. Throws the tracker's error, to be called again.
 */
export async function handleSessionEvent(deps: SessionDeps, heard: SessionInput): Promise<void> {
  const { issueId, isAllowed } = heard;
  const eventId = heard.prompt?.activityId ?? `opened:${heard.sessionId}`;
  if (await isHandled(deps.db, eventId)) return;
  const path = `agent-session:${heard.sessionId}`;
  const caller = { ...SERVICE_CALLER, actor: heard.person, path };
  const isNew = (await sessionById(deps.db, heard)) === null;
  await deps.openSession({ ...heard, caller, refusal: isAllowed ? null : NOT_ALLOWED });
  if (isNew) await deps.sendActivitiesNow(heard);
  if (!isAllowed) {
    if (!isNew) await reply(deps, heard, { type: 'thought', body: NOT_ALLOWED });
  } else if (issueId !== null) {
    const said = await deps.takeUpIssue({ ...heard, issueId, caller });
    if (said !== null) await reply(deps, heard, said);
  }
  await recordHandled(deps, heard, eventId);
  deps.wake();
}

/** Stores a reply to a person's message; from then on the session gets updates about the issue. */
async function reply(
  deps: Pick<SessionDeps, 'db' | 'clock' | 'sendActivitiesNow'>,
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
  await deps.sendActivitiesNow(heard);
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
