import type { CoreWorld } from './core-world.ts';

const WEBHOOK_SECRET = 'whsec-test';
/** Configuration with secrets for both receivers and a key for triggers. */
export const WEBHOOK_VARIABLES: Record<string, string> = {
  SERVICE_CONFIG__webhook__webhookSecret: WEBHOOK_SECRET,
  SERVICE_CONFIG__triggers__apiKey: 'trigger-key',
  SERVICE_CONFIG__limits__webhooksPerMinute: '1000000',
  SERVICE_CONFIG__limits__apiPerMinute: '1000000',
};
const REMOTE = { remoteAddress: '192.0.2.7' };

export type Answer = { status: number; body: Record<string, unknown>; headers: Headers };

/** Sends a request from elsewhere to the core's app. */
export async function sendTo(
  world: CoreWorld,
  path: string,
  init: {
    method?: string;
    headers?: Record<string, string>;
    body?: string | Uint8Array<ArrayBuffer>;
  },
): Promise<Answer> {
  const headers = { 'Content-Type': 'application/json', ...init.headers };
  const request = { method: 'POST', ...init, headers };
  const response = await world.core.app.request(path, request, REMOTE);
  const text = await response.text();
  const body = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
  return { status: response.status, body, headers: response.headers };
}

/** Hex HMAC-SHA256 as both providers sign. */
export async function sign(body: string, secret = WEBHOOK_SECRET): Promise<string> {
  const encoder = new TextEncoder();
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), algorithm, false, [
    'sign',
  ]);
  const bytes = new Uint8Array(await crypto.subtle.sign('HMAC', key, encoder.encode(body)));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** A delivery of the tracker as it signs them. */
export async function sendTrackerDelivery(
  world: CoreWorld,
  deliveryId: string,
  given: { atMs?: number; headers?: Record<string, string>; data?: unknown } = {},
): Promise<Answer> {
  const { atMs = world.clock.nowMs(), headers = {}, data = { id: 'x' } } = given;
  const body = JSON.stringify({ action: 'update', type: 'Issue', data, webhookTimestamp: atMs });
  return sendTo(world, '/webhooks/tracker', {
    headers: { 'Linear-Signature': await sign(body), 'Linear-Delivery': deliveryId, ...headers },
    body,
  });
}

/** A delivery of the code host as it signs them. */
export async function sendCodehostDelivery(
  world: CoreWorld,
  deliveryId: string,
  event = 'pull_request',
): Promise<Answer> {
  const body = JSON.stringify({ action: 'closed', number: 1 });
  const headers = {
    'X-Hub-Signature-256': `sha256=${await sign(body)}`,
    'X-GitHub-Event': event,
    'X-GitHub-Delivery': deliveryId,
  };
  return sendTo(world, '/webhooks/codehost', { headers, body });
}
