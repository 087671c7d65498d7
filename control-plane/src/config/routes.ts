import { z } from '@hono/zod-openapi';
import { type ConfigDeps, requirePlainValue } from './overlay/change-overlay.ts';
import { configJsonSchema } from './schema/config-json-schema.ts';
import { deleteOverlayPath } from './overlay/delete-overlay-path.ts';
import { patchOverlay } from './overlay/patch-overlay.ts';
import { readOverlay } from './queries.ts';
import { redactConfig } from './values/redact-config.ts';
import { endpoint, json } from '../http/endpoint/endpoint.ts';
import { replaceOverlay } from './overlay/replace-overlay.ts';

const JsonObjectBody = z.record(z.string(), z.unknown());
const Overlay = JsonObjectBody.meta({
  id: 'ConfigOverlay',
  description: 'Configuration keys, nested or dotted, to values.',
});
const PatchBody = z
  .strictObject({ value: z.unknown() })
  .refine((body) => 'value' in body, { path: ['value'], message: 'is required' })
  .meta({ id: 'ConfigPatch', description: 'The value' });
const PathParams = z.object({
  path: z.string().describe('A dotted configuration path, in one percent-encoded segment.'),
});

const CHANGING = {
  409: 'The configuration is being changed by others; try again',
  422: 'A key would be sent to another host than the one it was set for',
};

/** Routes of the configuration and its overlay. */
export function configRoutes(deps: ConfigDeps) {
  return [...readRoutes(deps), ...writeRoutes(deps)] as const;
}

function readRoutes(deps: ConfigDeps) {
  return [
    endpoint({
      at: 'GET /api/v1/config',
      summary: 'The effective configuration: base file, environment, overlay on top',
      answer: json(200, 'The configuration, secrets left out', JsonObjectBody),
      handler: async () => redactConfig(await deps.config.load()),
    }),
    endpoint({
      at: 'GET /api/v1/config/schema',
      summary: 'JSON schema of the configuration, with examples',
      answer: json(200, 'The schema', JsonObjectBody),
      handler: () => configJsonSchema(),
    }),
    endpoint({
      at: 'GET /api/v1/config/overlay',
      summary: 'The overlay alone, as it was given',
      answer: json(200, 'The overlay, secrets left out', Overlay),
      handler: async () => redactConfig((await readOverlay(deps.db)).value),
    }),
  ] as const;
}

function writeRoutes(deps: ConfigDeps) {
  return [
    endpoint({
      at: 'PUT /api/v1/config/overlay',
      summary: 'Replace the whole overlay',
      body: Overlay,
      answer: json(200, 'The new overlay', Overlay),
      refusals: CHANGING,
      handler: async ({ c, body: overlay, caller }) => {
        // The schema would silently drop `__proto__`, so the raw body is checked as well.
        requirePlainValue(await c.req.json<unknown>());
        return redactConfig(await replaceOverlay(deps, { caller, overlay }));
      },
    }),
    endpoint({
      at: 'PATCH /api/v1/config/overlay/{path}',
      summary: 'Set one path of the overlay',
      params: PathParams,
      body: PatchBody,
      answer: json(200, 'The new overlay', Overlay),
      refusals: CHANGING,
      handler: async ({ params: { path }, body: { value }, caller }) =>
        redactConfig(await patchOverlay(deps, { caller, path, value })),
    }),
    endpoint({
      at: 'DELETE /api/v1/config/overlay/{path}',
      summary: 'Remove one path of the overlay, and all below it',
      params: PathParams,
      answer: json(200, 'The new overlay', Overlay),
      refusals: { 400: 'The configuration is not valid without it', ...CHANGING },
      handler: async ({ params: { path }, caller }) =>
        redactConfig(await deleteOverlayPath(deps, { caller, path })),
    }),
  ] as const;
}
