import { createRoute, defineOpenAPIRoute, z } from '@hono/zod-openapi';
import { callerOf } from '../../http/caller/caller.ts';
import { errorResponses } from '../../http/error-responses.ts';
import { jsonContent } from '../../json-content.ts';
import { requirePlainValue } from './overlay/change-overlay.ts';
import type { ConfigDeps } from './overlay/change-overlay.ts';
import { configJsonSchema } from './schema/config-json-schema.ts';
import { deleteOverlayPath } from './overlay/delete-overlay-path.ts';
import { patchOverlay } from './overlay/patch-overlay.ts';
import { readOverlay } from './queries.ts';
import { redactConfig } from './values/redact-config.ts';
import { replaceOverlay } from './overlay/replace-overlay.ts';

const JsonObjectBody = z.record(z.string(), z.unknown());
const Overlay = JsonObjectBody.meta({
  id: 'ConfigOverlay',
  description: 'Configuration keys, nested or dotted, to values.',
});
const PatchBody = z
  .strictObject({ value: z.unknown() })
  .refine((body) => 'value' in body, { path: ['value'], message: 'is required' })
  .meta({ id: 'ConfigPatch' });
const PathParams = z.object({
  path: z.string().describe('A dotted configuration path, in one percent-encoded segment.'),
});

/** The configuration and its overlay. */
export function configRoutes(deps: ConfigDeps) {
  return [...readRoutes(deps), ...writeRoutes(deps)] as const;
}

function readRoutes(deps: ConfigDeps) {
  return [
    defineOpenAPIRoute({
      route: createRoute({
        method: 'get',
        path: '/api/v1/config',
        summary: 'The effective configuration: base file, environment, overlay on top',
        responses: {
          200: jsonContent('The configuration, secrets left out', JsonObjectBody),
          ...errorResponses(),
        },
      }),
      handler: async (c) => {
        const shown: Record<string, unknown> = redactConfig(await deps.config.load());
        return c.json(shown, 200);
      },
    }),
    defineOpenAPIRoute({
      route: createRoute({
        method: 'get',
        path: '/api/v1/config/schema',
        summary: 'JSON schema of the configuration, with examples',
        responses: { 200: jsonContent('The schema', JsonObjectBody), ...errorResponses() },
      }),
      handler: (c) => c.json(configJsonSchema(), 200),
    }),
    defineOpenAPIRoute({
      route: createRoute({
        method: 'get',
        path: '/api/v1/config/overlay',
        summary: 'The overlay alone, as it was given',
        responses: {
          200: jsonContent('The overlay, secrets left out', Overlay),
          ...errorResponses(),
        },
      }),
      handler: async (c) => c.json(redactConfig((await readOverlay(deps.db)).value), 200),
    }),
  ] as const;
}

function writeRoutes(deps: ConfigDeps) {
  return [
    defineOpenAPIRoute({
      route: createRoute({
        method: 'put',
        path: '/api/v1/config/overlay',
        summary: 'Replace the whole overlay',
        request: { body: { required: true, ...jsonContent('The overlay', Overlay) } },
        responses: {
          200: jsonContent('The new overlay', Overlay),
          ...errorResponses(400, 403, 409, 413, 415),
        },
      }),
      handler: async (c) => {
        const caller = callerOf(c);
        // The schema's own parse leaves `__proto__` out without a word; the body as sent is refused.
        requirePlainValue(await c.req.json<unknown>());
        const overlay = await replaceOverlay(deps, { caller, overlay: c.req.valid('json') });
        return c.json(redactConfig(overlay), 200);
      },
    }),
    defineOpenAPIRoute({
      route: createRoute({
        method: 'patch',
        path: '/api/v1/config/overlay/{path}',
        summary: 'Set one path of the overlay',
        request: {
          params: PathParams,
          body: { required: true, ...jsonContent('The value', PatchBody) },
        },
        responses: {
          200: jsonContent('The new overlay', Overlay),
          ...errorResponses(400, 403, 409, 413, 415),
        },
      }),
      handler: async (c) => {
        const input = { caller: callerOf(c), path: c.req.valid('param').path };
        const overlay = await patchOverlay(deps, { ...input, value: c.req.valid('json').value });
        return c.json(redactConfig(overlay), 200);
      },
    }),
    defineOpenAPIRoute({
      route: createRoute({
        method: 'delete',
        path: '/api/v1/config/overlay/{path}',
        summary: 'Remove one path of the overlay, and all below it',
        request: { params: PathParams },
        responses: {
          200: jsonContent('The new overlay', Overlay),
          ...errorResponses(400, 403, 404, 409),
        },
      }),
      handler: async (c) => {
        const input = { caller: callerOf(c), path: c.req.valid('param').path };
        return c.json(redactConfig(await deleteOverlayPath(deps, input)), 200);
      },
    }),
  ] as const;
}
