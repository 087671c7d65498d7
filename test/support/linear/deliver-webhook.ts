import { createHmac, randomUUID } from 'node:crypto';
import type { LinearWorkspace } from './linear-workspace.ts';
import type { FakeEvent, FakePerson, FakeWebhook } from './linear-rows.ts';

const DELIVERY_TIMEOUT_MS = 5_000;

/** The body of a delivery, as Linear writes it. */
export function webhookBody(
  world: LinearWorkspace,
  event: FakeEvent,
  webhookId: string,
  atMs = Date.now(),
): string {
  const { type, action, issue, comment, actor, updatedFrom } = event;
  if (type === 'AgentSessionEvent') return sessionBody(world, event, webhookId, atMs);
  const about = {
    id: issue.id,
    identifier: world.identifier(issue),
    title: issue.title,
    teamId: world.teamId,
  };
  const data =
    type === 'Comment' && comment !== undefined
      ? {
          id: comment.id,
          body: comment.body,
          issueId: issue.id,
          parentId: comment.parentId,
          userId: comment.user?.id ?? null,
          user: comment.user === null ? null : personBody(comment.user),
          issue: about,
          createdAt: new Date(comment.createdAtMs).toISOString(),
        }
      : {
          ...about,
          description: issue.description,
          priority: issue.priority,
          stateId: issue.stateId,
          state: world.state(issue.stateId),
          labelIds: issue.labelIds,
          createdAt: new Date(issue.createdAtMs).toISOString(),
          updatedAt: new Date(issue.updatedAtMs).toISOString(),
        };
  return JSON.stringify({
    action,
    type,
    actor: { id: actor.id, type: 'user', name: actor.name },
    createdAt: new Date(atMs).toISOString(),
    organizationId: 'org',
    data,
    ...(updatedFrom === undefined ? {} : { updatedFrom }),
    webhookTimestamp: atMs,
    webhookId,
  });
}

function sessionBody(
  world: LinearWorkspace,
  { action, session, activity, issue }: FakeEvent,
  webhookId: string,
  atMs: number,
): string {
  if (session === undefined) throw new Error('an event of a session without one');
  const { id, body, issueId } = session.comment;
  const iso = (ms: number) => new Date(ms).toISOString();
  const about = { id: issue.id, identifier: world.identifier(issue), title: issue.title };
  return JSON.stringify({
    action,
    type: 'AgentSessionEvent',
    appUserId: world.me.id,
    oauthClientId: 'client',
    organizationId: 'org',
    createdAt: iso(atMs),
    agentSession: {
      id: session.id,
      appUserId: world.me.id,
      organizationId: 'org',
      issueId: issue.id,
      issue: { ...about, teamId: world.teamId, description: issue.description },
      commentId: id,
      comment: { id, body, issueId, userId: session.comment.user?.id ?? null },
      creatorId: session.creator.id,
      creator: personBody(session.creator),
      status: world.sessions.statusOf(session),
      type: 'commentThread',
      createdAt: iso(session.createdAtMs),
      updatedAt: iso(session.createdAtMs),
    },
    ...(activity === undefined
      ? { promptContext: `<issue identifier="${about.identifier}"/>` }
      : {
          agentActivity: {
            id: activity.id,
            agentSessionId: session.id,
            content: activity.content,
            signal: activity.signal,
            sourceCommentId: activity.sourceCommentId,
            userId: activity.user.id,
            user: personBody(activity.user),
            createdAt: iso(activity.atMs),
            updatedAt: iso(activity.atMs),
          },
        }),
    webhookTimestamp: atMs,
    webhookId,
  });
}

function personBody({ id, name, email }: FakePerson) {
  return { id, name, email, url: `https://linear.example/profiles/${name.toLowerCase()}` };
}

/** Headers of a delivery with Linear's signature. */
function webhookHeaders(
  body: string,
  secret: string,
  event: string,
  deliveryId: string = randomUUID(),
): Record<string, string> {
  return {
    'content-type': 'application/json; charset=utf-8',
    'linear-delivery': deliveryId,
    'linear-event': event,
    'linear-signature': createHmac('sha256', secret).update(body).digest('hex'),
  };
}

/** Sends one event to one subscriber and gives the status, 0 when nobody answered. */
export async function deliverWebhook(
  world: LinearWorkspace,
  webhook: FakeWebhook,
  event: FakeEvent,
): Promise<number> {
  const body = webhookBody(world, event, webhook.id);
  const headers = webhookHeaders(body, webhook.secret, event.type);
  const signal = AbortSignal.timeout(DELIVERY_TIMEOUT_MS);
  return fetch(webhook.url, { method: 'POST', headers, body, signal }).then(
    (response) => response.status,
    () => 0,
  );
}
