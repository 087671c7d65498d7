import { createRoute, defineOpenAPIRoute, z } from '@hono/zod-openapi';
import { TriggerAnswer, TriggerRequest } from '@switchyard/shared/api/admin/webhook';
import type { MiddlewareHandler } from 'hono';
import type { Deps } from '../../deps.ts';
import { callerOf } from '../../http/caller/caller.ts';
import { errorResponses } from '../../http/error-responses.ts';
import { acceptTrigger, requireTriggerKey } from './accept-trigger.ts';
import { TRIGGER_CALLER } from './trigger-caller.ts';

const Headers = z.object({
  'x-service-trigger-key': z.string().max(8_192).optional().describe('triggers.apiKey'),
  'idempotency-key': z
    .string()
    .regex(/^[\x21-\x7e]{1,200}$/, 'must be 1 to 200 visible ASCII characters')
    .optional()
    .describe('The same key again gives the same answer.'),
});

/** What other systems may ask for, with a key of their own instead of a token. */
export function triggerRoutes(deps: Deps) {
  // Before the body is looked at: a stranger learns nothing about what would be accepted.
  const requireKey: MiddlewareHandler = async (c, next) => {
    await requireTriggerKey(deps, c.req.header('X-Service-Trigger-Key') ?? null);
    await next();
  };
  return [
    defineOpenAPIRoute({
      route: createRoute({
        method: 'post',
        path: '/api/v1/webhooks/trigger',
        operationId: 'triggerAction',
        tags: ['Webhooks'],
        summary: 'Ask for an action from another system',
        middleware: [requireKey],
        request: {
          headers: Headers,
          body: { required: true, content: { 'application/json': { schema: TriggerRequest } } },
        },
        responses: {
          202: {
            description: 'It is done soon',
            content: { 'application/json': { schema: TriggerAnswer } },
          },
          ...errorResponses(400, 404, 409, 413, 415, 503),
        },
      }),
      handler: async (c) => {
        const idempotencyKey = c.req.valid('header')['idempotency-key'] ?? null;
        const caller = { ...callerOf(c), actor: TRIGGER_CALLER.actor };
        const request = c.req.valid('json');
        return c.json(await acceptTrigger(deps, caller, { request, idempotencyKey }), 202);
      },
    }),
  ] as const;
}
