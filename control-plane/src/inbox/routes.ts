import { z } from '@hono/zod-openapi';
import {
  DeadLetter,
  DeadLetterDetail,
  DeadLetterPage,
  WebhookHealth,
} from '@switchyard/shared/api/admin/webhook';
import type { Deps } from '../deps.ts';
import { AppError } from '../errors.ts';
import { getWebhookHealth } from './get-webhook-health.ts';
import { deadPage, deliveryByNumber } from './queries.ts';
import { endpoint, json } from '../http/endpoint/endpoint.ts';
import { CursorPage } from '../http/endpoint/page-limit.ts';
import { replayDelivery } from './replay-delivery.ts';
import type { DeliveryRow } from '../db/schema/operation/webhook-deliveries.ts';

const byNumber = z.object({ number: z.string().regex(/^[1-9][0-9]{0,14}$/) });
const Query = CursorPage.extend({
  cursor: z
    .string()
    .regex(/^[1-9][0-9]{0,14}$/, 'is no cursor of this list')
    .optional()
    .describe('`nextCursor` of the page before.'),
  provider: DeadLetter.shape.provider.optional(),
});

/** Routes that show people the state of webhooks and those that could not be processed. */
export function webhookRoutes(
  deps: Pick<Deps, 'db' | 'clock' | 'config' | 'resolveSecret' | 'wake'>,
) {
  return [
    endpoint({
      at: 'GET /api/v1/webhooks',
      operationId: 'getWebhookHealth',
      summary: 'Whether deliveries arrive, and what waits',
      answer: json(200, 'Health', WebhookHealth),
      handler: () => getWebhookHealth(deps),
    }),
    endpoint({
      at: 'GET /api/v1/webhooks/dead',
      operationId: 'listDeadLetters',
      summary: 'Deliveries that could not be processed, newest first',
      query: Query,
      answer: json(200, 'A page', DeadLetterPage),
      handler: async ({ query: { limit, cursor, provider = null } }) => {
        const before = cursor === undefined ? null : Number(cursor);
        const { rows, total } = await deadPage(deps.db, { limit, before, provider });
        const last = rows.length === limit ? rows.at(-1) : undefined;
        const nextCursor = last === undefined ? null : String(last.delivery);
        return { deliveries: rows.map(deliveryRecord), total, nextCursor };
      },
    }),
    endpoint({
      at: 'GET /api/v1/webhooks/dead/{number}',
      operationId: 'getDeadLetter',
      summary: 'One delivery with its body; also after it was replayed',
      params: byNumber,
      answer: json(200, 'The delivery', DeadLetterDetail),
      handler: async ({ params: { number } }) => {
        const row = await deliveryByNumber(deps.db, Number(number));
        if (row === null) throw new AppError('not_found', `delivery ${number} not found`);
        const payload: unknown = JSON.parse(row.body);
        return { ...deliveryRecord(row), payload };
      },
    }),
    endpoint({
      at: 'POST /api/v1/webhooks/dead/{number}/replay',
      operationId: 'replayDeadLetter',
      summary: 'Process a dead letter once more',
      params: byNumber,
      answer: json(202, 'It waits to be processed', DeadLetter),
      refusals: { 409: 'It is no dead letter' },
      handler: async ({ params: { number }, caller }) =>
        deliveryRecord(await replayDelivery(deps, caller, Number(number))),
    }),
  ] as const;
}

/** A delivery as the API shows it, without its body. */
function deliveryRecord(row: DeliveryRow): DeadLetter {
  return {
    id: row.delivery,
    provider: row.provider,
    deliveryId: row.delivery_id,
    event: row.event,
    status: row.status,
    outcome: row.outcome,
    tries: row.tries,
    error: row.last_error,
    receivedAt: new Date(row.received_at_ms).toISOString(),
    endedAt: row.ended_at_ms === null ? null : new Date(row.ended_at_ms).toISOString(),
    nextTryAt: row.status === 'pending' ? new Date(row.next_try_at_ms).toISOString() : null,
    requestId: row.request_id,
  };
}
