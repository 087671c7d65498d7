import * as z from 'zod';

/** Tokens as the provider's responses report them. `total` is input and output. */
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

/** Own codes for a provider that was reached and then silent for too long. */
export const SILENCE_CODES = { givenUp: 'SILENCE', cutOff: 'IDLE_TIMEOUT' } as const;

/** The provider's last refusal, as the proxy read it. */
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
  /** The provider's error code or type, such as `insufficient_quota`. */
  code: z.string().max(200).nullable(),
  /** The provider's own message without the key. */
  message: z.string().max(1_000),
  /** Epoch milliseconds from `Retry-After` or the reset headers; null: not given. */
  resetAtMs: z.int().nullable(),
  /** Consecutive refusals since the last successful response. */
  inARow: z.int().positive(),
});
export type ModelRefusal = z.infer<typeof ModelRefusal>;

/** The proxy's report about an attempt and its model provider. */
export const ModelReport = z.object({
  /** When this count began, epoch milliseconds: a restarted proxy counts from zero. */
  sinceMs: z.int(),
  /** Number of complete responses of a model. */
  answers: z.int().nonnegative(),
  /** Number of responses without token counts, or with counts in a line that is too long. */
  uncounted: z.int().nonnegative(),
  /** Tokens since the grant began. */
  tokens: ModelTokens,
  /** `tokens` by model. */
  byModel: z.record(z.string().max(200), ModelTokens),
  /** Tokens of the last response alone. */
  last: ModelTokens.nullable(),
  /** The last refusal; null once a successful response followed. */
  refusal: ModelRefusal.nullable(),
  /**
   * Number of open requests, and since when the one that waits longest has received nothing, epoch
   * milliseconds.
   */
  active: z.int().nonnegative(),
  silentSinceMs: z.int().nullable(),
  /** When the last request ended, epoch milliseconds; null: none yet. */
  lastEndMs: z.int().nullable(),
});
export type ModelReport = z.infer<typeof ModelReport>;
