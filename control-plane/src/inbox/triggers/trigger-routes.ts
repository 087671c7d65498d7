import { z } from '@hono/zod-openapi';
import { TriggerAnswer, TriggerRequest } from '@switchyard/shared/api/admin/webhook';
import type { MiddlewareHandler } from 'hono';
import type { Bound, Deps } from '../../deps.ts';
import type { acceptTrigger, requireTriggerKey } from './accept-trigger.ts';
import { endpoint, json } from '../../http/endpoint/endpoint.ts';
import { TRIGGER_CALLER } from './trigger-caller.ts';

const Headers = z.object({
  'x-service-trigger-key': z.string().max(8_192).optional().describe('triggers.apiKey'),
  'idempotency-key': z
    .string()
    .regex(/^[\x21-\x7e]{1,200}$/, 'must be 1 to 200 visible ASCII characters')
    .optional()
    .describe('The same key again gives the same answer.'),
});

type TriggerDeps = Pick<Deps, 'metrics'> & {
  requireTriggerKey: Bound<typeof requireTriggerKey>;
  acceptTrigger: Bound<typeof acceptTrigger>;
};

/**
 * The route by which external systems ask for an action. They authenticate with the one shared key
 * `triggers.apiKey` instead of a token.
 */
export function triggerRoutes(deps: TriggerDeps) {
  // Authenticates before the body is read, so that strangers learn nothing about valid requests.
  const requireKey: MiddlewareHandler = async (c, next) => {
    await deps.requireTriggerKey(c.req.header('X-Service-Trigger-Key') ?? null);
    await next();
  };
  return [
    endpoint({
      at: 'POST /api/v1/webhooks/trigger',
      operationId: 'triggerAction',
      summary: 'Ask for an action from another system',
      guards: [requireKey],
      headers: Headers,
      body: TriggerRequest,
      answer: json(202, 'It is done soon', TriggerAnswer),
      refusals: {
        404: 'No such issue or automation',
        409: 'The Idempotency-Key came with another request before',
      },
      handler: async ({ headers, body: request, caller }) => {
        const idempotencyKey = headers['idempotency-key'] ?? null;
        const { actor } = TRIGGER_CALLER;
        const input = { request, idempotencyKey };
        const answer = await deps.acceptTrigger({ ...caller, actor }, input);
        const status = answer.duplicate ? 'duplicate' : 'accepted';
        deps.metrics.inc('service_webhook_deliveries_total', { provider: 'trigger', status });
        return answer;
      },
    }),
  ] as const;
}
