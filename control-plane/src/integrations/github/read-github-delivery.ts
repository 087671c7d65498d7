import { z } from 'zod';
import {
  decodeBody,
  deliveryId,
  EventName,
  eventName,
  malformed,
  parseBody,
  type VerifiedDelivery,
} from '../webhook/verified-delivery.ts';

const Body = z.looseObject({ action: EventName.optional() });

/** Parses a webhook with a valid signature. Throws a 400 when it is unusable. */
export function readGitHubDelivery(headers: Headers, kept: Uint8Array): VerifiedDelivery {
  const text = decodeBody(kept);
  const parsed = Body.safeParse(parseBody(text));
  if (!parsed.success) throw malformed('the body is not a delivery of the code host');
  return {
    deliveryId: deliveryId(headers.get('X-GitHub-Delivery')),
    event: eventName(headers.get('X-GitHub-Event'), parsed.data.action),
    body: text,
  };
}
