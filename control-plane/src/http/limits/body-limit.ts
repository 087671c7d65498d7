import type { Context, MiddlewareHandler } from 'hono';
import { AppError } from '../../errors.ts';
import { isNestedTooDeep, MAX_JSON_DEPTH } from '../../json-depth.ts';
import type { HttpEnv } from '../bindings.ts';
import { createByteBudget } from './byte-budget.ts';
import { callerOf } from '../caller/caller.ts';
import { clientAddress } from '../caller/client-address.ts';
import { type BodyRules, readBody, SHORT_DRAIN } from './read-body.ts';
import {
  hasOwnAuthorization,
  isApiPath,
  isReadMethod,
  isRunnerPath,
  isStreamedPath,
} from '../is-api-path.ts';

export const MAX_BODY_BYTES = 1_048_576;
/** The body contains only a token or a sign-in code. */
const MAX_SESSION_BODY_BYTES = 16_384;
const BODY_TIMEOUT_MS = 20_000;
const STRANGERS_TIMEOUT_MS = 10_000;
/** Callers with access get the error even if much of their body is still to come. */
const LONG_DRAIN = { maxBytes: 67_108_864, timeoutMs: 10_000 };
/** Memory for bodies of senders without a token: webhooks and sign-ins. */
const STRANGERS = { totalBytes: 4_194_304, perHolderBytes: 2_097_152 };
const CALLERS = { totalBytes: 134_217_728, perHolderBytes: 33_554_432 };

type Rules = Omit<BodyRules, 'holder'>;

/**
 * Refuses bodies over 1 MiB with a 413, also chunked ones. The rest of a refused body is read and
 * discarded, within limits, since the sender would otherwise see a broken connection instead of the
 * response. Callers without a token get smaller limits and share a memory limit. Runner routes and
 * webhooks of the code host have their own limits after their own authentication.
 */
export function bodyLimit({ trustedHops = 0 }: { trustedHops?: number }) {
  const strangers = {
    timeoutMs: STRANGERS_TIMEOUT_MS,
    maxBytes: MAX_BODY_BYTES,
    drain: SHORT_DRAIN,
    budget: createByteBudget(STRANGERS),
  };
  const callers = {
    timeoutMs: BODY_TIMEOUT_MS,
    maxBytes: MAX_BODY_BYTES,
    drain: LONG_DRAIN,
    budget: createByteBudget(CALLERS),
  };
  const middleware: MiddlewareHandler<HttpEnv> = async function bodyLimit(c, next) {
    const { path, method } = c.req;
    // Runner routes limit their bodies themselves; pages and reads take none.
    if (!isApiPath(path) || isRunnerPath(path) || isReadMethod(method)) return next();
    if (isStreamedPath(path)) return next();
    const isStranger = hasOwnAuthorization(path) || callerOf(c).actor === 'anonymous';
    const rules = isStranger ? strangers : callers;
    const maxBytes = path === '/api/v1/session' ? MAX_SESSION_BODY_BYTES : rules.maxBytes;
    // Checked last: platforms create the body's stream only on access.
    if (!isStranger && isShort(c, maxBytes)) return next();
    if (c.req.raw.body === null) return next();
    await withBody(c, next, { ...rules, maxBytes }, clientAddress(c, trustedHops));
  };
  return middleware;
}

/** Reads a JSON body before the handler runs; its bytes count in the budget until the response. */
export async function withBody(
  c: Context<HttpEnv>,
  next: () => Promise<void>,
  rules: Rules,
  holder: string,
): Promise<void> {
  const { chunks, release } = await readBody(c.req.raw, { ...rules, holder });
  try {
    const body = new Blob(chunks);
    if (isNestedTooDeep(await body.text())) {
      throw new AppError('bad_request', `nested deeper than ${MAX_JSON_DEPTH} levels`);
    }
    c.req.raw = new Request(c.req.raw, { method: c.req.method, body });
    await next();
  } finally {
    release();
  }
}

/** Whether the declared length is allowed, which the server itself enforces. */
function isShort(c: Context<HttpEnv>, maxBytes: number): boolean {
  const bytes = Number(c.req.header('content-length') ?? Number.NaN);
  return bytes <= maxBytes && c.req.header('transfer-encoding') === undefined;
}
