import * as z from 'zod';

/** Tokens as the provider's own answers tell them. `total` is input and output. */
export const ModelTokens = z.object({
  input: z.int().nonnegative(),
  /** Part of `input`. */
  cachedInput: z.int().nonnegative(),
  output: z.int().nonnegative(),
  /** Part of `output`. */
  reasoning: z.int().nonnegative(),
  total: z.int().nonnegative(),
});
export type ModelTokens = z.infer<typeof ModelTokens>;

/** Codes of our own for a provider that was reached and then sent nothing for too long. */
export const SILENCE_CODES = { givenUp: 'SILENCE', cutOff: 'IDLE_TIMEOUT' } as const;

/** The newest answer of the provider that was a refusal, as the proxy read it. */
export const ModelRefusal = z.object({
  atMs: z.int(),
  /** HTTP status; null: the provider was not reached, or its stream broke or went silent. */
  status: z.int().nullable(),
  kind: z.enum([
    'auth_failed',
    'usage_limited',
    'provider_unreachable',
    'context_exceeded',
    'agent_error',
  ]),
  /** The provider's error code or type, for example `insufficient_quota`. */
  code: z.string().max(200).nullable(),
  /** The provider's own words, without the key. */
  message: z.string().max(1_000),
  /** Epoch milliseconds, from `Retry-After` or the reset headers. */
  resetAtMs: z.int().nullable(),
  /** Refusals in a row since the last answer that was none. */
  inARow: z.int().positive(),
});
export type ModelRefusal = z.infer<typeof ModelRefusal>;

/** What the proxy knows of one attempt's talk with its model provider. */
export const ModelReport = z.object({
  /** When this count began, epoch milliseconds: a proxy that died and came back begins anew. */
  sinceMs: z.int(),
  /** Requests to a model that were answered whole. */
  answers: z.int().nonnegative(),
  /** Those of them whose tokens the provider did not tell, or told in too long a line. */
  uncounted: z.int().nonnegative(),
  /** Absolute over the grant's life. */
  tokens: ModelTokens,
  /** The same by the model that answered. */
  byModel: z.record(z.string().max(200), ModelTokens),
  /** Tokens of the newest answer alone. */
  last: ModelTokens.nullable(),
  /** Null once an answer that was none followed. */
  refusal: ModelRefusal.nullable(),
  /**
   * Requests under way, and since when the one that waits longest has had no byte of an answer,
   * epoch milliseconds.
   */
  active: z.int().nonnegative(),
  silentSinceMs: z.int().nullable(),
  /** When the last request ended, epoch milliseconds; null: none yet. */
  lastEndMs: z.int().nullable(),
});
export type ModelReport = z.infer<typeof ModelReport>;
