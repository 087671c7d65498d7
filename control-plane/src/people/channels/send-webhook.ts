import type { Notification } from '@switchyard/shared/api/notification';
import { toJson } from '@switchyard/shared/text/well-formed-json';
import { postJson } from '../../integrations/chat/post-json.ts';

/**
 * Posts a notification as signed JSON by the Standard Webhooks specification. The signature covers
 * `id.timestamp.body`, so that a receiver can refuse old or repeated messages.
 */
export async function sendWebhook(input: {
  url: string;
  secret: string;
  notification: Notification;
  /** Now, epoch milliseconds. */
  nowMs: number;
  timeoutMs: number;
}): Promise<void> {
  const { id } = input.notification;
  const { read: _read, readAt: _readAt, ...event } = input.notification;
  const body = toJson(event);
  const timestamp = String(Math.floor(input.nowMs / 1_000));
  await postJson({
    url: input.url,
    body,
    headers: {
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${await signature(input.secret, `${id}.${timestamp}.${body}`)}`,
    },
    timeoutMs: input.timeoutMs,
  });
}

/** Base64 of the HMAC-SHA256. */
async function signature(secret: string, text: string): Promise<string> {
  const key = await crypto.subtle.importKey(
    'raw',
    secretBytes(secret),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['sign'],
  );
  const mac = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(text));
  return btoa(String.fromCharCode(...new Uint8Array(mac)));
}

/**
 * Decodes a `whsec_` secret (base64, as libraries of the specification create it); any other text
 * is used as is.
 */
function secretBytes(secret: string): Uint8Array<ArrayBuffer> {
  const encoded = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret)?.[1];
  if (encoded === undefined) return new Uint8Array(new TextEncoder().encode(secret));
  return Uint8Array.from(atob(encoded), (char) => char.charCodeAt(0));
}
