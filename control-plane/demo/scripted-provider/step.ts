import type { ServerResponse } from 'node:http';

/** The open stream of one answer, for a step that ends it in its own way. */
export type StepStream = {
  response: ServerResponse;
  /** Distinguishes item and response ids of different calls. */
  callId: string;
  /** Aborted when the client left or the provider closes. */
  signal: AbortSignal;
  /** Sends one event; resolves once there is room for the next. */
  send(type: string, fields: Record<string, unknown>): Promise<void>;
};

/** One item of the model's answer. */
export type StepOutput =
  | { type: 'message'; text: string }
  | { type: 'reasoning'; text: string }
  | { type: 'tool'; name: string; arguments: unknown }
  | { type: 'custom_tool'; name: string; input: string };

export type Usage = { input: number; cachedInput: number; output: number; reasoning: number };

/**
 * What the scripted provider does with one request of the engine. A step can be built, combined and
 * compared.
 */
export type Step = {
  outputs: StepOutput[];
  /** Answers the whole call by itself; `outputs` count for nothing then. */
  instead?: (response: ServerResponse, signal: AbortSignal) => unknown;
  /** Ends the stream after the outputs, in place of a good end. */
  ending?: (stream: StepStream) => Promise<unknown>;
  usage?: Usage;
  /** Extra response headers, for example rate limits. */
  headers?: Record<string, string>;
  /** Wait before the answer begins, milliseconds. */
  delayMs?: number;
  /** Wait between two pieces of streamed text, milliseconds. */
  pauseMs?: number;
};

/** The model writes a message; alone it ends the turn. */
export const say = (text: string): Step => ({ outputs: [{ type: 'message', text }] });

/** The model shows a summary of its thoughts. */
export const reason = (text: string): Step => ({ outputs: [{ type: 'reasoning', text }] });

/** The model runs a shell command and waits up to `yieldTimeMs` for its end. */
export function exec(cmd: string, yieldTimeMs = 20_000): Step {
  const callArguments = { cmd, login: false, yield_time_ms: yieldTimeMs };
  return { outputs: [{ type: 'tool', name: 'exec_command', arguments: callArguments }] };
}

/** The model edits files; `patch` begins with `*** Begin Patch`. */
export const applyPatch = (patch: string): Step => ({
  outputs: [{ type: 'custom_tool', name: 'apply_patch', input: patch }],
});

/** Several outputs in one answer, in order; later usage, pauses and endings win. */
export function together(...steps: Step[]): Step {
  const merged: Step = Object.assign({}, ...steps);
  return { ...merged, outputs: steps.flatMap((step) => step.outputs) };
}
