import type { Caller } from '../../http/caller/caller.ts';

/** Who the audit names for what an external system asked for. */
export const TRIGGER_CALLER: Caller = {
  actor: 'trigger',
  source: 'API',
  requestId: null,
  path: '/api/v1/webhooks/trigger',
};
