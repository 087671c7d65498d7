import type { Context } from 'hono';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { type ByteBudget, createByteBudget } from '../../http/limits/byte-budget.ts';
import { clientAddress } from '../../http/caller/client-address.ts';
import { equalInConstantTime } from '../../http/caller/equal-in-constant-time.ts';
import { CHUNK_COST, passBody, SHORT_DRAIN, tooMuchAtOnce } from '../../http/limits/read-body.ts';
import { JsonTrimmer, type Keep, TooMuchKept, UnreadableJson } from './json-trimmer.ts';
import { malformed, wrongSignature } from '../../integrations/webhook/verified-delivery.ts';
import { webhookReceivers } from '../../integrations/webhook-receivers.ts';

/** Largest body that a code host sends (25 MB). */
const MAX_DELIVERY_BYTES = 26_214_400;
/** Of larger bodies, and those in many small pieces, at most `MAX_LONG_AT_ONCE` arrive at once. */
const LONG_BYTES = 1_048_576;
/** Cost of the largest body in pieces of half a kilobyte. */
const MAX_COST = 2 * MAX_DELIVERY_BYTES;
const MAX_LONG_AT_ONCE = 2;
/** The sender's own timeout. */
const TIMEOUT_MS = 10_000;
const MAX_KEPT_BYTES = 1_048_576;
/** Memory for the kept parts of incoming bodies, in total and for each sender. */
const KEPT_AT_ONCE = { totalBytes: 12_582_912, perHolderBytes: 4_194_304 };
const SIGNATURE = /^sha256=([0-9a-f]{64})$/i;

/** The only members that are read; everything else is requested from the code host anyway. */
const CHECKED: Keep = { pull_requests: { number: true }, head_branch: true };
const KEEP = {
  action: true,
  number: true,
  ref: true,
  branches: { name: true },
  repository: { full_name: true, html_url: true },
  issue: { number: true, pull_request: { url: true } },
  pull_request: { number: true },
  comment: {
    id: true,
    body: true,
    user: { login: true },
    author_association: true,
    created_at: true,
  },
  check_run: { ...CHECKED, check_suite: CHECKED },
  check_suite: CHECKED,
} satisfies Keep;

export type TakeCodehostBody = (
  c: Context,
  given: { secret: string; startHmac: Deps['startHmac'] },
) => Promise<Uint8Array>;

/**
 * Reads a webhook's body as a stream: the signature covers all of it, but only the needed parts are
 * kept. A request without a well-formed signature is not read. Throws a 401, 400, 413, and a 503
 * while too many large bodies are arriving.
 */
export function createTakeCodehostBody(trustedHops: number): TakeCodehostBody {
  const limit = MAX_LONG_AT_ONCE * MAX_DELIVERY_BYTES;
  const budgets = {
    long: createByteBudget({ totalBytes: limit, perHolderBytes: limit }),
    kept: createByteBudget(KEPT_AT_ONCE),
  };
  return async (c, { secret, startHmac }) => {
    const hex = SIGNATURE.exec(c.req.header(webhookReceivers.codehost.signatureHeader) ?? '')?.[1];
    if (hex === undefined) throw wrongSignature();
    const hold = holdOf(budgets, clientAddress(c, trustedHops));
    const hmac = startHmac(secret);
    const trimmer = new JsonTrimmer(KEEP, MAX_KEPT_BYTES);
    const found = { problem: null as AppError | null };
    let cost = 0;
    try {
      if (Number(c.req.header('content-length') ?? 0) > LONG_BYTES) hold.aLong();
      const rules = { maxBytes: MAX_DELIVERY_BYTES, timeoutMs: TIMEOUT_MS, drain: SHORT_DRAIN };
      await passBody(c.req.raw, rules, (chunk) => {
        cost += chunk.byteLength + CHUNK_COST;
        if (cost > LONG_BYTES) hold.aLong();
        if (cost > MAX_COST) throw new AppError('too_large', 'the body comes in too small pieces');
        hmac.update(chunk);
        // The problem is reported only after the signature is verified, so that strangers learn
        // nothing.
        found.problem ??= pushed(trimmer, chunk);
        hold.upTo(trimmer.heldBytes);
      });
      if (!(await equalInConstantTime(hmac.hex(), hex.toLowerCase()))) throw wrongSignature();
      if (found.problem !== null) throw found.problem;
      return ended(trimmer);
    } finally {
      hold.release();
    }
  };
}

/** The share of both budgets that one delivery holds. */
function holdOf({ long, kept }: { long: ByteBudget; kept: ByteBudget }, holder: string) {
  let isLong = false;
  let keptBytes = 0;
  return {
    aLong() {
      if (isLong) return;
      if (!long.take(holder, MAX_DELIVERY_BYTES)) throw tooMuchAtOnce();
      isLong = true;
    },
    upTo(bytes: number) {
      if (bytes <= keptBytes) return;
      if (!kept.take(holder, bytes - keptBytes)) throw tooMuchAtOnce();
      keptBytes = bytes;
    },
    release() {
      if (isLong) long.give(holder, MAX_DELIVERY_BYTES);
      kept.give(holder, keptBytes);
    },
  };
}

function pushed(trimmer: JsonTrimmer, chunk: Uint8Array): AppError | null {
  try {
    trimmer.push(chunk);
    return null;
  } catch (error) {
    return asRefusal(error);
  }
}

function ended(trimmer: JsonTrimmer): Uint8Array {
  try {
    return trimmer.end();
  } catch (error) {
    throw asRefusal(error);
  }
}

function asRefusal(error: unknown): AppError {
  if (error instanceof UnreadableJson) return malformed(`the body is not JSON: ${error.message}`);
  if (!(error instanceof TooMuchKept)) throw error;
  const message = `what is needed of the delivery is larger than ${MAX_KEPT_BYTES} bytes`;
  return new AppError('too_large', message);
}
