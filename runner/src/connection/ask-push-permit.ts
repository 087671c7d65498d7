import type { CallParams, CallValue } from '@switchyard/shared/protocol/calls';
import { CallError, type CallTable } from './calls.ts';
import { type Clock, sleep } from './clock.ts';
import type { LeaseRef } from './lease-ref.ts';

const PERMIT_TIMEOUT_MS = 10_000;
const PERMIT_RETRY_MS = 1_000;

/** Whether the request may be repeated, because it was not refused. */
function isTransient(error: unknown): boolean {
  return error instanceof CallError && ['disconnected', 'timeout', 'busy'].includes(error.code);
}

/**
 * Requests permission to push, over as many reconnects as needed: the lease's deadline ends it
 * through `signal`. Rejects when the control plane answers with an error.
 */
export async function askPushPermit(
  deps: { calls: CallTable; clock: Clock },
  ref: LeaseRef,
  params: CallParams<'push.permit'>,
  signal: AbortSignal,
): Promise<CallValue<'push.permit'>> {
  for (;;) {
    try {
      return await deps.calls.call('push.permit', params, PERMIT_TIMEOUT_MS, ref);
    } catch (error) {
      if (!isTransient(error) || signal.aborted) throw error;
    }
    await sleep(deps.clock, PERMIT_RETRY_MS, signal);
    signal.throwIfAborted();
  }
}
