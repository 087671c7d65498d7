import { setTimeout as delay } from 'node:timers/promises';
import { say, type Step } from '../../../control-plane/demo/scripted-provider/step.ts';
import { messageItem } from '../../../control-plane/demo/scripted-provider/stream-step.ts';

/** An HTTP error in the provider's own form. */
export function fail(status: number, error: Record<string, unknown> = {}): Step {
  return refuse(status, { message: `scripted failure ${status}`, ...error });
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
  return refuse(429, error, headers);
}

/** `response.failed` inside a stream that began well. */
export const failContextLength = (): Step => ({
  outputs: [],
  async ending({ response, callId, send }) {
    const error = {
      code: 'context_length_exceeded',
      message: 'Your input exceeds the context window of this model',
    };
    await send('response.failed', { response: { id: `resp_${callId}`, error } });
    response.end();
  },
});

/** Says `text`, then drops the connection. */
export const cut = (text = 'I was about to'): Step => ({
  ...say(text),
  async ending({ response }) {
    // What was said before must have left before the connection goes.
    await new Promise((resolve) => response.write(': cut\n', resolve));
    response.destroy();
  },
});

/** Nothing more comes, the connection stays open: before the headers or after the outputs. */
export const hang = (before: 'headers' | 'end' = 'headers'): Step =>
  before === 'headers'
    ? { outputs: [], instead: (_response, signal) => never(signal) }
    : { outputs: [], ending: ({ signal }) => never(signal) };

/** Text deltas for ever, one each `everyMs`. */
export const endless = (everyMs = 20): Step => ({
  outputs: [],
  async ending({ callId, send, signal }) {
    const item = messageItem(`msg_${callId}_endless`, '');
    await send('response.output_item.added', { output_index: 0, item });
    for (let count = 0; !signal.aborted; count += 1) {
      await send('response.output_text.delta', { item_id: item.id, delta: `${count} ` });
      await delay(everyMs, undefined, { signal });
    }
  },
});

/** Status 200 and bytes that are no events. */
export const garbage = (body = '<html>502 Bad Gateway</html>'): Step => ({
  outputs: [],
  instead: (response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).end(body),
});

function refuse(
  status: number,
  error: Record<string, unknown>,
  headers: Record<string, string> = {},
): Step {
  return {
    outputs: [],
    instead: (response) =>
      response
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(JSON.stringify({ error })),
  };
}

function never(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
