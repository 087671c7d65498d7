import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { signatureHolds } from '../../integrations/webhook/signature-holds.ts';

/** How far a signed time may be from ours. Source: the tracker's webhook documentation. */
const MAX_AGE_MS = 60_000;
const Name = z.string().regex(/^[\w.-]{1,100}$/);
const DeliveryId = z.string().regex(/^[\x21-\x7e]{1,200}$/);
const TrackerBody = z.looseObject({
  type: Name.optional(),
  action: Name.optional(),
  webhookTimestamp: z.number(),
});
const CodehostBody = z.looseObject({ action: Name.optional() });

/** A request to a receiver, its body untouched: the signature covers these very bytes. */
export type SignedRequest = { headers: Headers; body: Uint8Array<ArrayBuffer>; nowMs: number };

/** A delivery, with as much of its body as is kept. */
export type VerifiedDelivery = { deliveryId: string; event: string; body: string };

/**
 * Verifies a delivery of the tracker (`Linear-Signature` over the body, `webhookTimestamp` within
 * 60 s). Throws 401 for a signature that is bad, missing or stale, 400 for a body that is unusable.
 */
export async function readTrackerDelivery(
  secret: string,
  { headers, body, nowMs }: SignedRequest,
): Promise<VerifiedDelivery> {
  const isSigned = await signatureHolds(secret, headers.get('Linear-Signature') ?? undefined, body);
  if (!isSigned) throw wrongSignature();
  const text = decode(body);
  const parsed = TrackerBody.safeParse(parseJson(text));
  if (!parsed.success) throw malformed('the body is not a delivery of the tracker');
  const { type, action, webhookTimestamp } = parsed.data;
  if (Math.abs(nowMs - webhookTimestamp) > MAX_AGE_MS) throw refused('the delivery is stale');
  const kind = type ?? headers.get('Linear-Event');
  return {
    deliveryId: deliveryId(headers.get('Linear-Delivery')),
    event: eventName(kind, action),
    body: text,
  };
}

/** Reads what is kept of a delivery of the code host that is signed. Throws 400 likewise. */
export function readCodehostDelivery(headers: Headers, kept: Uint8Array): VerifiedDelivery {
  const text = decode(kept);
  const parsed = CodehostBody.safeParse(parseJson(text));
  if (!parsed.success) throw malformed('the body is not a delivery of the code host');
  return {
    deliveryId: deliveryId(headers.get('X-GitHub-Delivery')),
    event: eventName(headers.get('X-GitHub-Event'), parsed.data.action),
    body: text,
  };
}

function deliveryId(header: string | null): string {
  const parsed = DeliveryId.safeParse(header);
  if (!parsed.success) throw malformed('the header with the id of the delivery is missing');
  return parsed.data;
}

function eventName(kind: string | null, action: string | undefined): string {
  const parsed = Name.safeParse(kind);
  if (!parsed.success) throw malformed('the delivery does not say what kind it is');
  return action === undefined ? parsed.data : `${parsed.data}.${action}`;
}

function decode(body: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    throw malformed('the body is not UTF-8');
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw malformed('the body is not JSON');
  }
}

export function wrongSignature(): AppError {
  return refused('the signature is missing or wrong');
}

function refused(message: string): AppError {
  return new AppError('unauthorized', message, {
    reason: 'invalid_signature',
    headers: { 'WWW-Authenticate': 'HMAC-SHA256' },
  });
}

export function malformed(message: string): AppError {
  return new AppError('bad_request', message, { reason: 'invalid_delivery' });
}
