import type { Caller } from '../../http/caller/caller.ts';

/** The audit actor for requests of external systems. */
export const TRIGGER_CALLER: Caller = {
  actor: 'trigger',
  source: 'API',
  requestId: null,
  path: '/api/v1/webhooks/trigger',
};
