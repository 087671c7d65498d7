import { createRoute, defineOpenAPIRoute, type z } from '@hono/zod-openapi';
import {
  TrackerConnection,
  TrackerKeyRequest,
  TrackerSignIn,
  TrackerSignInAnswer,
  TrackerSignInRequest,
  TrackerWebhook,
  TrackerWebhookRequest,
} from '@switchyard/shared/api/admin/tracker-setup';
import { callerOf } from '../../../http/caller/caller.ts';
import { errorResponses } from '../../../http/error-responses.ts';
import { connectTracker } from './connect-tracker.ts';
import type { SetupDeps } from '../setup-deps.ts';
import { createTrackerWebhook } from './create-tracker-webhook.ts';
import { beginTrackerSignIn, completeTrackerSignIn } from './tracker-sign-in.ts';

const BASE = '/api/v1/setup/tracker';

/** Connecting Linear: by a key or by signing in, and having it send webhooks. */
export function trackerSetupRoutes(deps: SetupDeps) {
  return [
    defineOpenAPIRoute({
      route: post(`${BASE}/key`, 'Connect Linear by a key', TrackerKeyRequest, TrackerConnection),
      handler: async (c) => {
        const { apiKey: credential } = c.req.valid('json');
        return c.json(await connectTracker(deps, { caller: callerOf(c), credential }), 200);
      },
    }),
    defineOpenAPIRoute({
      route: post(
        `${BASE}/sign-in`,
        'Begin to connect Linear by signing in (OAuth 2 with PKCE)',
        TrackerSignInRequest,
        TrackerSignIn,
      ),
      handler: async (c) =>
        c.json(await beginTrackerSignIn(deps, callerOf(c), c.req.valid('json')), 200),
    }),
    defineOpenAPIRoute({
      route: post(
        `${BASE}/sign-in/complete`,
        'Complete the sign-in with what the browser brought back',
        TrackerSignInAnswer,
        TrackerConnection,
      ),
      handler: async (c) =>
        c.json(await completeTrackerSignIn(deps, callerOf(c), c.req.valid('json')), 200),
    }),
    defineOpenAPIRoute({
      route: post(
        `${BASE}/webhook`,
        'Have Linear send what happens to this service',
        TrackerWebhookRequest,
        TrackerWebhook,
      ),
      handler: async (c) => {
        const { url } = c.req.valid('json');
        return c.json(await createTrackerWebhook(deps, { caller: callerOf(c), url }), 200);
      },
    }),
  ] as const;
}

function post<P extends string, B extends z.ZodType, A extends z.ZodType>(
  path: P,
  summary: string,
  body: B,
  answer: A,
) {
  return createRoute({
    method: 'post',
    path,
    tags: ['Setup'],
    summary,
    request: { body: { required: true, content: { 'application/json': { schema: body } } } },
    responses: {
      200: { description: 'Done', content: { 'application/json': { schema: answer } } },
      ...errorResponses(400, 403, 409, 413, 415, 422, 502),
    },
  });
}
