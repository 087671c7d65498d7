import { z } from 'zod';
import { TokenUsage } from '../api/work/attempt.ts';
import { EngineTestFailureKind, MAX_ENGINE_TEST_MS } from '../engine/engine-test-failure.ts';
import { EngineSpec } from './attempt-spec.ts';

/** What of the agent's answer is told. */
export const MAX_ENGINE_TEST_TEXT_CHARS = 200;

export const EngineTestParams = z.object({
  engine: EngineSpec,
  image: z.string().optional(),
  /** The provider's key, sealed to this runner as in `granted`. */
  sealedSecrets: z.string().optional(),
  timeoutMs: z.int().min(1_000).max(MAX_ENGINE_TEST_MS),
  /** Input and output together; more ends the turn. */
  maxTokens: z.int().min(1),
});
export type EngineTestParams = z.infer<typeof EngineTestParams>;

/** How a test turn went. */
export const EngineTestOutcome = z.object({
  /** As the engine told it; null: it did not start. */
  version: z.string().max(200).nullable(),
  /** From the start of the container until the engine had a thread, milliseconds. */
  startMs: z.number().nullable(),
  /** Of the turn alone, milliseconds. */
  turnMs: z.number().nullable(),
  /** Null: neither engine nor provider told. */
  tokens: TokenUsage.nullable(),
  /** First words of the agent's answer; '' when it said nothing. */
  text: z.string().max(MAX_ENGINE_TEST_TEXT_CHARS),
  /** Null: the turn ended as it should. */
  failure: z
    .object({
      kind: EngineTestFailureKind,
      message: z.string().max(2_000),
      /** When the provider says that it resets, epoch milliseconds. */
      resetAtMs: z.number().optional(),
    })
    .nullable(),
});
export type EngineTestOutcome = z.infer<typeof EngineTestOutcome>;
