import { z } from 'zod';
import {
  decodeBody,
  deliveryId,
  EventName,
  eventName,
  malformed,
  parseBody,
  refused,
  type SignedRequest,
  type VerifiedDelivery,
  wrongSignature,
} from '../../webhook/verified-delivery.ts';
import { signatureHolds } from '../../webhook/signature-holds.ts';

export const SIGNATURE_HEADER = 'Linear-Signature';
/**
 * How far a signed time may differ from this service's clock. Source: Linear's webhook
 * documentation.
 */
const MAX_AGE_MS = 60_000;
const Body = z.looseObject({
  type: EventName.optional(),
  action: EventName.optional(),
  webhookTimestamp: z.number(),
});

/**
 * Verifies a webhook (`Linear-Signature` over the body, `webhookTimestamp` within 60 s). Throws a
 * 401 for a missing, wrong or outdated signature, a 400 for an unusable body.
 */
export async function readLinearDelivery(
  secret: string,
  { headers, body, nowMs }: SignedRequest,
): Promise<VerifiedDelivery> {
  const isSigned = await signatureHolds(secret, headers.get(SIGNATURE_HEADER) ?? undefined, body);
  if (!isSigned) throw wrongSignature();
  const text = decodeBody(body);
  const parsed = Body.safeParse(parseBody(text));
  if (!parsed.success) throw malformed('the body is not a delivery of the tracker');
  const { type, action, webhookTimestamp } = parsed.data;
  if (Math.abs(nowMs - webhookTimestamp) > MAX_AGE_MS) throw refused('the delivery is stale');
  return {
    deliveryId: deliveryId(headers.get('Linear-Delivery')),
    event: eventName(type ?? headers.get('Linear-Event'), action),
    body: text,
  };
}
