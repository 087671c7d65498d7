import { cutText } from '@switchyard/shared/text/cut-text';
import { z } from 'zod';
import type { Clock } from '../../../ports/ports.ts';
import { TrackerError } from '../../../ports/tracker/tracker.ts';
import type { LinearSettings } from '../linear-settings.ts';
import { MAX_WAIT_MS, readAllowance, readRateLimit, retryAtOf } from './rate-limit.ts';
import { readBody } from '../../read-body.ts';
import { requestTrouble } from '../../request-trouble.ts';
import { isWithin } from '../../../is-within.ts';
import { parseJson } from '@switchyard/shared/text/parse-json';
import { toJson } from '@switchyard/shared/text/well-formed-json';

const REQUEST_TIMEOUT_MS = 8_000;
/** A page of 50 issues with long descriptions has around 1 MB. */
const MAX_ANSWER_BYTES = 16 * 1_048_576;
const MAX_WORDS = 300;
/** Shortest interval between two renewals of a refused token. */
const RENEW_EVERY_MS = 60_000;

const Envelope = z.looseObject({
  data: z.unknown().optional(),
  errors: z
    .array(
      z.looseObject({
        message: z.string().catch('no message'),
        extensions: z
          .looseObject({
            code: z.string().optional().catch(undefined),
            type: z.string().optional().catch(undefined),
            userPresentableMessage: z.string().optional().catch(undefined),
          })
          .optional()
          .catch(undefined),
      }),
    )
    .optional(),
});

const Payload = z.looseObject({ success: z.boolean() });

/** One GraphQL operation: its text, and the shape of the used result. */
export type LinearOperation<Data> = { name: string; text: string; data: z.ZodType<Data> };

/** Runs one operation on Linear. Throws a `TrackerError` whose category says what failed. */
export type LinearClient = <Data>(
  operation: LinearOperation<Data>,
  variables: Record<string, unknown>,
) => Promise<Data>;

/** The rate limit as known to all users of a connection. */
export type LinearAllowance = {
  /** Share of the hourly limit that was left at the last response; null: not known. */
  left: number | null;
};

/**
 * Creates a client that respects Linear's rate limit: until it resets every call throws
 * `rate_limited` with that time, without a request. The caller tries again then.
 */
export function createLinearClient(deps: {
  clock: Clock;
  settings: LinearSettings;
  allowance?: LinearAllowance;
}): LinearClient {
  const { clock, settings, allowance = { left: null } } = deps;
  const renew = renewing(settings);
  let closedUntilMs = 0;

  const askOnce: LinearClient = async (operation, variables) => {
    const leftMs = closedUntilMs - clock.nowMs();
    // A longer wait means that the clock was set back.
    if (leftMs > 0 && leftMs <= MAX_WAIT_MS) throw limited(closedUntilMs);
    const credential = await settings.credential();
    if (credential === null) throw new TrackerError('auth', 'tracker.linear.apiKey is not set');
    const query = { query: operation.text, variables, operationName: operation.name };
    const response = await send(settings.endpoint(), credential, toJson(query));
    const limit = readRateLimit(response.headers, clock.nowMs());
    closedUntilMs = limit.exhaustedUntilMs ?? 0;
    allowance.left = readAllowance(response.headers) ?? allowance.left;
    const text = await bodyOf(response);
    const envelope = Envelope.safeParse(parseJson(text));
    const errors = envelope.data?.errors ?? [];
    if (response.status === 429 || errors.some((error) => codeOf(error) === 'RATELIMITED')) {
      closedUntilMs = retryAtOf(response.headers, clock.nowMs());
      allowance.left ??= 0;
      throw limited(closedUntilMs);
    }
    throwRefused(response.status, errors);
    throwUnmade(operation.name, envelope.data?.data);
    const data = operation.data.safeParse(envelope.data?.data);
    if (data.success) return data.data;
    const problem = cutText(z.prettifyError(data.error), MAX_WORDS);
    throw new TrackerError('response', `Linear answered something else: ${problem}`);
  };

  return async (operation, variables) => {
    try {
      return await askOnce(operation, variables);
    } catch (error) {
      const isAuth = error instanceof TrackerError && error.category === 'auth';
      if (!isAuth || !(await renew(clock.nowMs()))) throw error;
      return askOnce(operation, variables);
    }
  };
}

/** Shares one renewal between concurrent requests, and allows no further one for a while. */
function renewing(settings: LinearSettings): (nowMs: number) => Promise<boolean> {
  let last: { atMs: number; done: Promise<boolean> } | null = null;
  return async (nowMs) => {
    if (settings.renew === undefined) return false;
    if (last === null || !isWithin(nowMs, last.atMs, RENEW_EVERY_MS)) {
      last = { atMs: nowMs, done: settings.renew() };
    }
    return last.done;
  };
}

/** The Authorization header: a personal key stands alone, an OAuth token gets the scheme Bearer. */
function authorization(credential: string): string {
  return credential.startsWith('lin_oauth_') ? `Bearer ${credential}` : credential;
}

async function send(endpoint: string, credential: string, body: string): Promise<Response> {
  try {
    return await fetch(endpoint, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: authorization(credential) },
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
  } catch (error) {
    throw new TrackerError('transport', `Linear is out of reach: ${requestTrouble(error)}`);
  }
}

async function bodyOf(response: Response): Promise<string> {
  try {
    return await readBody(response, MAX_ANSWER_BYTES);
  } catch (error) {
    throw new TrackerError('transport', `Linear's answer broke off: ${requestTrouble(error)}`);
  }
}

type GraphqlError = NonNullable<z.infer<typeof Envelope>['errors']>[number];

function codeOf({ extensions }: GraphqlError): string {
  return extensions?.code ?? extensions?.type ?? '';
}

function throwRefused(status: number, errors: readonly GraphqlError[]): void {
  const [first] = errors;
  if (first === undefined) {
    if (status === 401 || status === 403) {
      throw new TrackerError('auth', `Linear refused the key (${status})`);
    }
    if (status !== 200) throw new TrackerError('status', `Linear answered ${status}`);
    return;
  }
  const text = cutText(
    (first.extensions?.userPresentableMessage ?? first.message).replace(/[\p{Cc}\p{Cf}\s]+/gu, ' '),
    MAX_WORDS,
  );
  const isAuth = status === 401 || /AUTHENTICATION|FORBIDDEN/i.test(codeOf(first));
  const isOurs = status < 500 && !/INTERNAL/i.test(codeOf(first));
  const message = `Linear refused: ${text}`;
  throw new TrackerError(isAuth ? 'auth' : 'status', message, { isRefusal: !isAuth && isOurs });
}

/** Throws when a mutation failed, which only its payload says. */
function throwUnmade(name: string, data: unknown): void {
  const payloads: unknown[] = typeof data === 'object' && data !== null ? Object.values(data) : [];
  if (payloads.some((payload) => Payload.safeParse(payload).data?.success === false)) {
    throw new TrackerError('response', `Linear did not make the change (${name})`);
  }
}

function limited(untilMs: number): TrackerError {
  const at = new Date(untilMs).toISOString();
  return new TrackerError('rate_limited', `Linear takes no requests until ${at}`, {
    retryAtMs: untilMs,
  });
}
