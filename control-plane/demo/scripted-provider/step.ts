/**
 * What the scripted provider does with one request of the engine. A step is data, so a test can
 * build it, combine it and compare it.
 */

/** One item of the model's answer. */
export type StepOutput =
  | { type: 'message'; text: string }
  | { type: 'reasoning'; text: string }
  | { type: 'tool'; name: string; arguments: unknown }
  | { type: 'custom_tool'; name: string; input: string };

/** How the provider misbehaves instead of, or after, the outputs of its step. */
export type Fault =
  | { kind: 'status'; status: number; headers: Record<string, string>; body: string }
  /** `response.failed` inside a stream that began well. */
  | { kind: 'failed'; code: string; message: string }
  /** The connection drops after the outputs. */
  | { kind: 'cut' }
  /** Nothing more comes, the connection stays open: before the headers or after the outputs. */
  | { kind: 'hang'; before: 'headers' | 'end' }
  /** Text deltas for ever, one each `everyMs`. */
  | { kind: 'endless'; everyMs: number }
  /** Status 200 and bytes that are no events. */
  | { kind: 'garbage'; body: string };

export type Usage = { input: number; cachedInput: number; output: number; reasoning: number };

export type Step = {
  outputs: StepOutput[];
  fault?: Fault;
  usage?: Usage;
  /** Extra response headers, for example rate limits. */
  headers?: Record<string, string>;
  /** Wait before the answer begins, milliseconds. */
  delayMs?: number;
  /** Wait between two pieces of streamed text, milliseconds. */
  pauseMs?: number;
};

export type AskedQuestion = {
  id: string;
  header: string;
  question: string;
  options: { label: string; description: string }[];
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

/** The model asks the person. */
export const askUser = (questions: AskedQuestion[]): Step => ({
  outputs: [{ type: 'tool', name: 'request_user_input', arguments: { questions } }],
});

/** Several outputs in one answer, in order; later usage, pauses and faults win. */
export function together(...steps: Step[]): Step {
  const merged: Step = Object.assign({}, ...steps);
  return { ...merged, outputs: steps.flatMap((step) => step.outputs) };
}

const fault = (value: Fault): Step => ({ outputs: [], fault: value });

/** An HTTP error in the provider's own form. */
export function fail(status: number, error: Record<string, unknown> = {}): Step {
  const body = JSON.stringify({ error: { message: `scripted failure ${status}`, ...error } });
  return fault({ kind: 'status', status, headers: {}, body });
}

export const failUnauthorized = (): Step =>
  fail(401, { message: 'Incorrect API key provided', code: 'invalid_api_key' });

/** The account is used up until `resetsAtMs` (epoch milliseconds, sent in whole seconds). */
export function failUsageLimit(resetsAtMs: number): Step {
  const resetsAtS = Math.floor(resetsAtMs / 1000);
  const error = {
    type: 'usage_limit_reached',
    message: 'The usage limit has been reached',
    plan_type: 'plus',
    resets_at: resetsAtS,
  };
  const headers = {
    'x-codex-primary-used-percent': '100',
    'x-codex-primary-window-minutes': '300',
    'x-codex-primary-reset-at': String(resetsAtS),
  };
  return fault({ kind: 'status', status: 429, headers, body: JSON.stringify({ error }) });
}

export const failContextLength = (): Step =>
  fault({
    kind: 'failed',
    code: 'context_length_exceeded',
    message: 'Your input exceeds the context window of this model',
  });

/** Says `text`, then drops the connection. */
export const cut = (text = 'I was about to'): Step => ({ ...say(text), fault: { kind: 'cut' } });

export const hang = (before: 'headers' | 'end' = 'headers'): Step =>
  fault({ kind: 'hang', before });

export const endless = (everyMs = 20): Step => fault({ kind: 'endless', everyMs });

export const garbage = (body = '<html>502 Bad Gateway</html>'): Step =>
  fault({ kind: 'garbage', body });
