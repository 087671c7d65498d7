import { createRoute, defineOpenAPIRoute, z } from '@hono/zod-openapi';
import {
  DeadLetter,
  DeadLetterDetail,
  DeadLetterPage,
  WebhookHealth,
} from '@switchyard/shared/api/admin/webhook';
import type { Deps } from '../deps.ts';
import { AppError } from '../errors.ts';
import { callerOf } from '../http/caller/caller.ts';
import { errorResponses } from '../http/error-responses.ts';
import { jsonContent } from '../json-content.ts';
import { deliveryRecord } from './delivery-record.ts';
import { getWebhookHealth } from './get-webhook-health.ts';
import { deadPage, deliveryByNumber } from './queries.ts';
import { replayDelivery } from './replay-delivery.ts';

const byNumber = z.object({ number: z.string().regex(/^[1-9][0-9]{0,14}$/) });
const Query = z.object({
  limit: z.coerce.number().int().min(1).max(500).default(50),
  cursor: z
    .string()
    .regex(/^[1-9][0-9]{0,14}$/, 'is no cursor of this list')
    .optional()
    .describe('`nextCursor` of the page before.'),
  provider: z.enum(['tracker', 'codehost', 'trigger']).optional(),
});

/** Inbound deliveries for people: their health, and those that could not be processed. */
export function webhookRoutes(deps: Deps) {
  return [healthRoute(deps), deadRoute(deps), inspectRoute(deps), replayRoute(deps)] as const;
}

function healthRoute(deps: Deps) {
  return defineOpenAPIRoute({
    route: createRoute({
      method: 'get',
      path: '/api/v1/webhooks',
      operationId: 'getWebhookHealth',
      tags: ['Webhooks'],
      summary: 'Whether deliveries arrive, and what waits',
      responses: { 200: jsonContent('Health', WebhookHealth), ...errorResponses() },
    }),
    handler: async (c) => c.json(await getWebhookHealth(deps), 200),
  });
}

function deadRoute(deps: Deps) {
  return defineOpenAPIRoute({
    route: createRoute({
      method: 'get',
      path: '/api/v1/webhooks/dead',
      operationId: 'listDeadLetters',
      tags: ['Webhooks'],
      summary: 'Deliveries that could not be processed, newest first',
      request: { query: Query },
      responses: { 200: jsonContent('A page', DeadLetterPage), ...errorResponses(400) },
    }),
    handler: async (c) => {
      const { limit, cursor, provider = null } = c.req.valid('query');
      const before = cursor === undefined ? null : Number(cursor);
      const { rows, total } = await deadPage(deps.db, { limit, before, provider });
      const last = rows.length === limit ? rows.at(-1) : undefined;
      const nextCursor = last === undefined ? null : String(last.delivery);
      return c.json({ deliveries: rows.map(deliveryRecord), total, nextCursor }, 200);
    },
  });
}

function inspectRoute(deps: Deps) {
  return defineOpenAPIRoute({
    route: createRoute({
      method: 'get',
      path: '/api/v1/webhooks/dead/{number}',
      operationId: 'getDeadLetter',
      tags: ['Webhooks'],
      summary: 'One delivery with its body; also after it was replayed',
      request: { params: byNumber },
      responses: { 200: jsonContent('The delivery', DeadLetterDetail), ...errorResponses(404) },
    }),
    handler: async (c) => {
      const { number } = c.req.valid('param');
      const row = await deliveryByNumber(deps.db, Number(number));
      if (row === null) throw new AppError('not_found', `delivery ${number} not found`);
      const payload: unknown = JSON.parse(row.body);
      return c.json({ ...deliveryRecord(row), payload }, 200);
    },
  });
}

function replayRoute(deps: Deps) {
  return defineOpenAPIRoute({
    route: createRoute({
      method: 'post',
      path: '/api/v1/webhooks/dead/{number}/replay',
      operationId: 'replayDeadLetter',
      tags: ['Webhooks'],
      summary: 'Process a dead letter once more',
      request: { params: byNumber },
      responses: {
        202: jsonContent('It waits to be processed', DeadLetter),
        ...errorResponses(403, 404, 409),
      },
    }),
    handler: async (c) => {
      const number = Number(c.req.valid('param').number);
      return c.json(deliveryRecord(await replayDelivery(deps, callerOf(c), number)), 202);
    },
  });
}
