import { z } from 'zod';
import { AppError } from '../../errors.ts';

export const EventName = z.string().regex(/^[\w.-]{1,100}$/);
const DeliveryId = z.string().regex(/^[\x21-\x7e]{1,200}$/);

/** A request to a receiver with its raw body, which the signature covers. */
export type SignedRequest = { headers: Headers; body: Uint8Array<ArrayBuffer>; nowMs: number };

/** A verified webhook with the kept part of its body. */
export type VerifiedDelivery = { deliveryId: string; event: string; body: string };

/** The id of a webhook from its header. Throws a 400 without one. */
export function deliveryId(header: string | null): string {
  const parsed = DeliveryId.safeParse(header);
  if (!parsed.success) throw malformed('the header with the id of the delivery is missing');
  return parsed.data;
}

/** The event name, such as `Issue.update`. Throws a 400 for an invalid kind. */
export function eventName(kind: string | null, action: string | undefined): string {
  const parsed = EventName.safeParse(kind);
  if (!parsed.success) throw malformed('the delivery does not say what kind it is');
  return action === undefined ? parsed.data : `${parsed.data}.${action}`;
}

export function decodeBody(body: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    throw malformed('the body is not UTF-8');
  }
}

export function parseBody(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw malformed('the body is not JSON');
  }
}

export function wrongSignature(): AppError {
  return refused('the signature is missing or wrong');
}

export function refused(message: string): AppError {
  return new AppError('unauthorized', message, {
    reason: 'invalid_signature',
    headers: { 'WWW-Authenticate': 'HMAC-SHA256' },
  });
}

export function malformed(message: string): AppError {
  return new AppError('bad_request', message, { reason: 'invalid_delivery' });
}
