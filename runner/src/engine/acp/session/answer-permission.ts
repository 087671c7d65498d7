import type { RequestPermissionResponse } from '@agentclientprotocol/sdk';
import type * as z from 'zod';
import type { PermissionRequest } from '../session-update.ts';

/** Never for longer than the call at hand: what an agent remembers of it nobody sees. */
const ALLOWING = ['allow_once', 'allow_always'];
const REJECTING = ['reject_once', 'reject_always'];

/**
 * The answer to an agent that asks whether it may use a tool. Within a turn it may: the isolation
 * around it is what protects, not a prompt that nobody sees. Options are told apart by kind, since
 * every agent names them in its own way.
 */
export function answerPermission(
  { options }: z.infer<typeof PermissionRequest>,
  turn: 'live' | 'cancelled' | 'none',
): RequestPermissionResponse {
  if (turn === 'cancelled') return { outcome: { outcome: 'cancelled' } };
  for (const kind of turn === 'live' ? [...ALLOWING, ...REJECTING] : REJECTING) {
    const option = options.find((offered) => offered.kind === kind);
    if (option) return { outcome: { outcome: 'selected', optionId: option.optionId } };
  }
  return { outcome: { outcome: 'cancelled' } };
}
