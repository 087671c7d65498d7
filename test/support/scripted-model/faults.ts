import { setTimeout as delay } from 'node:timers/promises';
import { type Refusal, say, type Step } from '../../../control-plane/scripted-provider/step.ts';

/** An HTTP error in the provider's own form. */
export function fail(status: number, error: Record<string, unknown> = {}): Step {
  return refuse(status, { message: `scripted failure ${status}`, ...error });
}

/** As the provider of the request's format refuses. */
export const refusal = (
  kind: Refusal['kind'],
  reset: Pick<Refusal, 'retryAfterS' | 'resetAtMs'> = {},
): Step => ({ outputs: [], refusal: { kind, ...reset } });

export const failUnauthorized = (): Step => refusal('unauthorized');

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

/** The conversation is longer than the model can read. */
export const failContextLength = (): Step => refusal('context');

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
export const hang = (before: 'headers' | 'end' = 'headers'): Step => ({
  outputs: [],
  silence: before === 'headers' ? 'before_headers' : 'after_outputs',
});

/** Text deltas for ever, one each `everyMs`. */
export const endless = (everyMs = 20): Step => ({
  outputs: [],
  async ending({ say: sayPiece, signal }) {
    for (let count = 0; !signal.aborted; count += 1) {
      await sayPiece(`${count} `);
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
