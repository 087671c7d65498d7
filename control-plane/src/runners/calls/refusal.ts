import type { ControlPlaneMessage } from '@switchyard/shared/protocol/messages';

/** The answer to a call of a runner that is refused, with why in words. */
export function refusal(callId: string, code: string, message: string): ControlPlaneMessage {
  return { type: 'result', callId, ok: false, error: { code, message } };
}
