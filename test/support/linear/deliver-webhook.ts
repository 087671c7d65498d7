import { createHmac, randomUUID } from 'node:crypto';
import type { FakeEvent, FakeWebhook, LinearWorkspace } from './linear-workspace.ts';

const DELIVERY_TIMEOUT_MS = 5_000;

/** The body of a delivery, as Linear writes it. */
export function webhookBody(
  world: LinearWorkspace,
  event: FakeEvent,
  webhookId: string,
  atMs = Date.now(),
): string {
  const { type, action, issue, comment, actor, updatedFrom } = event;
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
          userId: comment.user.id,
          user: { id: comment.user.id, name: comment.user.name, email: comment.user.email },
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
