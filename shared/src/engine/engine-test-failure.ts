import { z } from 'zod';

/** Longest timeout of a test turn, from the start of the container to the end of the answer. */
export const MAX_ENGINE_TEST_MS = 300_000;
/** Why a test turn failed. */
export const EngineTestFailureKind = z.enum([
  /** The runner has no engine of that name. */
  'engine_missing',
  /** Another test turn is running on that runner. */
  'busy',
  /** The container or the engine did not start. */
  'not_started',
  /** The engine started, then ended or answered with an error. */
  'agent_error',
  'auth_failed',
  'usage_limited',
  'provider_unreachable',
  'timed_out',
  /** The turn used more tokens than a test may. */
  'too_many_tokens',
]);
export type EngineTestFailureKind = z.infer<typeof EngineTestFailureKind>;
