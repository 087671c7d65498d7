import type { CallParams, CallValue } from '@switchyard/shared/protocol/calls';
import { TOOL_CALL_TIMEOUT_MS } from '@switchyard/shared/protocol/limits';
import { CallError, type CallTable } from './calls.ts';
import type { LeaseRef } from './lease-ref.ts';

const MAX_ARGUMENT_BYTES = 131_072;
const UNCERTAIN = 'Whether it took effect is not known: look before you repeat it.';

type ToolAnswer = CallValue<'tool.call'>;

/**
 * Sends a tool call to the control plane once. Never rejects: a failure is an answer with advice
 * for the agent.
 */
export async function askTool(
  calls: Pick<CallTable, 'call'>,
  ref: LeaseRef,
  call: CallParams<'tool.call'>,
): Promise<ToolAnswer> {
  if (Buffer.byteLength(JSON.stringify(call.arguments) ?? '') > MAX_ARGUMENT_BYTES) {
    return no(`The arguments are longer than ${MAX_ARGUMENT_BYTES} bytes. Nothing was done.`);
  }
  try {
    return await calls.call('tool.call', { ...call }, TOOL_CALL_TIMEOUT_MS, ref);
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    if (error.code === 'timeout') return no(`The call took too long. ${UNCERTAIN}`);
    if (error.code === 'disconnected') {
      return no(`The connection was lost before the answer came. ${UNCERTAIN}`);
    }
    return no(`The call was not carried out: ${error.message}`);
  }
}

function no(text: string): ToolAnswer {
  return { success: false, text };
}
