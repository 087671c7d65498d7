import type { RequestPermissionResponse } from '@agentclientprotocol/sdk';
import type * as z from 'zod';
import type { PermissionRequest } from '../session-update.ts';

/** Only for this call, if possible: what an agent remembers of an approval is invisible. */
const ALLOWING = ['allow_once', 'allow_always'];
const REJECTING = ['reject_once', 'reject_always'];

/**
 * The answer to an agent that requests approval for a tool. During a turn it is approved: the
 * isolation protects, not a prompt that nobody sees. Options are distinguished by kind, because
 * agents name them differently.
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
