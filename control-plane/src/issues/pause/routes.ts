import { createRoute, defineOpenAPIRoute, z } from '@hono/zod-openapi';
import type { Deps } from '../../deps.ts';
import { callerOf } from '../../http/caller/caller.ts';
import { errorResponses } from '../../http/error-responses.ts';
import { pauseService, resumeService } from './pause-service.ts';

const PauseRequest = z
  .strictObject({
    reason: z.string().trim().min(1).max(500),
    stopRunning: z.boolean().optional().describe('Also stop what runs; it goes on after the pause'),
  })
  .meta({ id: 'PauseRequest' });
const PauseResponse = z
  .object({ reason: z.string(), since: z.iso.datetime(), stopping: z.int() })
  .meta({ id: 'PauseResponse' });

/** The switch that stops everything. */
export function pauseRoutes(deps: Deps) {
  return [
    defineOpenAPIRoute({
      route: createRoute({
        method: 'post',
        path: '/api/v1/pause',
        summary: 'Start nothing new until resume',
        request: {
          body: { required: true, content: { 'application/json': { schema: PauseRequest } } },
        },
        responses: {
          200: {
            description: 'Paused',
            content: { 'application/json': { schema: PauseResponse } },
          },
          ...errorResponses(400, 403, 413, 415),
        },
      }),
      handler: async (c) => {
        const { reason, stopRunning = false } = c.req.valid('json');
        return c.json(await pauseService(deps, { reason, stopRunning, caller: callerOf(c) }), 200);
      },
    }),
    defineOpenAPIRoute({
      route: createRoute({
        method: 'post',
        path: '/api/v1/resume',
        summary: 'Let work start again',
        responses: {
          200: {
            description: 'Resumed',
            content: { 'application/json': { schema: z.object({ ok: z.boolean() }) } },
          },
          ...errorResponses(403),
        },
      }),
      handler: async (c) => {
        await resumeService(deps, callerOf(c));
        return c.json({ ok: true }, 200);
      },
    }),
  ] as const;
}
