import type { ControlPlaneMessage } from '@switchyard/shared/protocol/messages';

/** Refuses a runner's call, with a reason for people. */
export function refusal(callId: string, code: string, message: string): ControlPlaneMessage {
  return { type: 'result', callId, ok: false, error: { code, message } };
}
