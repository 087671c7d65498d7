import { z } from 'zod';
import type { SessionEvent } from '../../../ports/tracker/agent-sessions.ts';

const Id = z.string().min(1).max(200);
const Moment = z.iso.datetime({ offset: true }).nullish().catch(null);
const Person = z
  .looseObject({ id: Id, name: z.string().nullish(), email: z.string().nullish() })
  .nullish()
  .catch(null);

const Session = z.looseObject({
  id: Id,
  appUserId: Id.nullish().catch(null),
  issueId: Id.nullish().catch(null),
  issue: z.looseObject({ id: Id }).nullish().catch(null),
  commentId: Id.nullish().catch(null),
  comment: z.looseObject({ id: Id, body: z.string(), userId: Id.nullish() }).nullish().catch(null),
  creator: Person,
  createdAt: Moment,
});
const Activity = z.looseObject({
  id: Id,
  content: z.looseObject({ type: z.string(), body: z.string().nullish().catch(null) }),
  signal: z.string().nullish().catch(null),
  sourceCommentId: Id.nullish().catch(null),
  user: Person,
  createdAt: Moment,
});
const Body = z.looseObject({
  action: z.string(),
  appUserId: Id,
  agentSession: Session,
  agentActivity: Activity.nullish(),
});

/** Root comments that Linear itself writes when an issue is delegated without a message. */
const ARTIFICIAL = /^This thread is for an agent session/i;

/**
 * Parses an agent session event; null for one that no person caused, such as this service's own
 * activities.
 */
export function readSessionEvent(json: unknown): SessionEvent | null | 'malformed' {
  const parsed = Body.safeParse(json);
  if (!parsed.success) return 'malformed';
  const { action, appUserId, agentSession: session, agentActivity } = parsed.data;
  const common = {
    sessionId: session.id,
    issueId: session.issueId ?? session.issue?.id ?? null,
    appUserId,
    threadId: session.commentId ?? session.comment?.id ?? null,
  };
  if (action === 'created') {
    const opened = { person: session.creator ?? null, atMs: momentOf(session.createdAt) };
    return {
      ...common,
      ...opened,
      message: openingMessage(session.comment, appUserId),
      prompt: null,
    };
  }
  if (action !== 'prompted' || !agentActivity) return null;
  const { content, user, signal } = agentActivity;
  if (content.type !== 'prompt' || user?.id === appUserId) return null;
  const text = content.body?.trim() ?? '';
  const id = agentActivity.sourceCommentId ?? agentActivity.id;
  return {
    ...common,
    person: user ?? null,
    atMs: momentOf(agentActivity.createdAt),
    message: text === '' ? null : { id, text },
    prompt: { activityId: agentActivity.id, stop: signal === 'stop' },
  };
}

/** The message of a person who mentioned the agent; null for a delegation without one. */
function openingMessage(
  comment: z.infer<typeof Session>['comment'],
  appUserId: string,
): SessionEvent['message'] {
  if (!comment?.userId || comment.userId === appUserId) return null;
  const text = comment.body.trim();
  if (text === '' || ARTIFICIAL.test(text)) return null;
  return { id: comment.id, text };
}

function momentOf(text: string | null | undefined): number | null {
  return text ? Date.parse(text) : null;
}
