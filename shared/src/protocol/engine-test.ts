import { z } from 'zod';
import { TokenUsage } from '../api/work/attempt.ts';
import { EngineTestFailureKind, MAX_ENGINE_TEST_MS } from '../engine/engine-test-failure.ts';
import { EngineSpec } from './attempt-spec.ts';

/** Length of the part of the agent's answer that is reported. */
export const MAX_ENGINE_TEST_TEXT_CHARS = 200;

export const EngineTestParams = z.object({
  engine: EngineSpec,
  image: z.string().optional(),
  /** The provider's key, sealed to this runner as in `granted`. */
  sealedSecrets: z.string().optional(),
  timeoutMs: z.int().min(1_000).max(MAX_ENGINE_TEST_MS),
  /** Limit of input and output tokens together; exceeding it ends the turn. */
  maxTokens: z.int().min(1),
});
export type EngineTestParams = z.infer<typeof EngineTestParams>;

/** Result of a test turn. */
export const EngineTestOutcome = z.object({
  /** Version that the engine reported; null: it did not start. */
  version: z.string().max(200).nullable(),
  /** Milliseconds from the start of the container until the engine had opened a thread. */
  startMs: z.number().nullable(),
  /** Duration of the turn alone, milliseconds. */
  turnMs: z.number().nullable(),
  /** Null: neither engine nor provider reported them. */
  tokens: TokenUsage.nullable(),
  /** Beginning of the agent's answer; '' when there was none. */
  text: z.string().max(MAX_ENGINE_TEST_TEXT_CHARS),
  /** Null: the turn ended normally. */
  failure: z
    .object({
      kind: EngineTestFailureKind,
      message: z.string().max(2_000),
      /** When the provider's limit resets, if the provider says so, epoch milliseconds. */
      resetAtMs: z.number().optional(),
    })
    .nullable(),
});
export type EngineTestOutcome = z.infer<typeof EngineTestOutcome>;
