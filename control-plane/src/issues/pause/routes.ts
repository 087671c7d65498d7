import { z } from '@hono/zod-openapi';
import type { Deps } from '../../deps.ts';
import { endpoint, json } from '../../http/endpoint/endpoint.ts';
import { pauseService, resumeService } from './pause-service.ts';
import { namedObject, strictNamedObject } from '@switchyard/shared/named-object';

const PauseRequest = strictNamedObject('PauseRequest', {
  reason: z.string().trim().min(1).max(500),
  stopRunning: z.boolean().optional().describe('Also stop what runs; it goes on after the pause'),
});
const PauseResponse = namedObject('PauseResponse', {
  reason: z.string(),
  since: z.iso.datetime(),
  stopping: z.int(),
});

/** Routes of the switch that pauses the whole service. */
export function pauseRoutes(deps: Pick<Deps, 'db' | 'clock' | 'connections' | 'config' | 'wake'>) {
  return [
    endpoint({
      at: 'POST /api/v1/pause',
      summary: 'Start nothing new until resume',
      body: PauseRequest,
      answer: json(200, 'Paused', PauseResponse),
      handler: ({ body: { reason, stopRunning = false }, caller }) =>
        pauseService(deps, { reason, stopRunning, caller }),
    }),
    endpoint({
      at: 'POST /api/v1/resume',
      summary: 'Let work start again',
      answer: json(200, 'Resumed', z.object({ ok: z.boolean() })),
      handler: async ({ caller }) => {
        await resumeService(deps, caller);
        return { ok: true };
      },
    }),
  ] as const;
}
