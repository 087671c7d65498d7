import type { Caller } from '../../observe/audit/caller.ts';

/** Who the audit names for what an external system asked for. */
export const TRIGGER_CALLER: Caller = {
  actor: 'trigger',
  source: 'API',
  requestId: null,
  path: '/api/v1/webhooks/trigger',
};
