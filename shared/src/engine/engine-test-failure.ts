import { z } from 'zod';

/** Longest test turn that may be asked for, from the start of the container to the last word. */
export const MAX_ENGINE_TEST_MS = 300_000;
/** Why a test turn came to nothing. */
export const EngineTestFailureKind = z.enum([
  /** The runner has no engine of that name. */
  'engine_missing',
  /** Another test turn goes on there. */
  'busy',
  /** Container or engine did not start. */
  'not_started',
  /** The engine started and ended, or answered with an error. */
  'agent_error',
  'auth_failed',
  'usage_limited',
  'provider_unreachable',
  'timed_out',
  /** It used more tokens than a test may. */
  'too_many_tokens',
]);
export type EngineTestFailureKind = z.infer<typeof EngineTestFailureKind>;
