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
export async function handleSessionEvent(deps: SessionDeps, input: SessionInput): Promise<void> {
  const { issueId, isAllowed } = input;
  const eventId = input.prompt?.activityId ?? `opened:${input.sessionId}`;
  if (await isHandled(deps.db, eventId)) return;
  const path = `agent-session:${input.sessionId}`;
  const caller = { ...SERVICE_CALLER, actor: input.person, path };
  const isNew = (await sessionById(deps.db, input)) === null;
  await deps.openSession({ ...input, caller, refusal: isAllowed ? null : NOT_ALLOWED });
  if (isNew) await deps.sendActivitiesNow(input);
  if (!isAllowed) {
    if (!isNew) await reply(deps, input, { type: 'thought', body: NOT_ALLOWED });
  } else if (issueId !== null) {
    const outcome = await deps.takeUpIssue({ ...input, issueId, caller });
    if (outcome !== null) await reply(deps, input, outcome);
  }
  await recordHandled(deps, input, eventId);
  deps.wake();
}

/** Stores a reply to a person's message; from then on the session gets updates about the issue. */
async function reply(
  deps: Pick<SessionDeps, 'db' | 'clock' | 'sendActivitiesNow'>,
  input: SessionInput,
  content: ActivityMessage,
): Promise<void> {
  const { db, clock } = deps;
  for (let writes = 0; writes < WRITES; writes += 1) {
    const session = await sessionById(db, input);
    if (session === null || session.state === 'gone') return;
    const isBack = input.isAllowed && session.state === 'replaced';
    const activity = {
      drafts: [{ content }],
      changes: isBack ? ({ state: 'open', told: null } as const) : {},
    };
    const steps = [
      ...(await postActivity(db, clock.nowMs(), session, activity)),
      ...(isBack ? await replaceOthers(deps, session) : []),
    ];
    if ((await commitSteps(deps.db, steps)) !== null) break;
  }
  await deps.sendActivitiesNow(input);
}

async function recordHandled(
  deps: Pick<Deps, 'db' | 'clock'>,
  input: SessionInput,
  eventId: string,
): Promise<void> {
  await deps.db
    .insert(agentActivities)
    .values({
      activity_id: eventId,
      tracker: input.tracker,
      session_id: input.sessionId,
      content: { type: 'prompt', body: input.message?.text ?? '', by: input.person },
      outcome: 'heard',
      created_at_ms: deps.clock.nowMs(),
    })
    .onConflictDoNothing();
}
