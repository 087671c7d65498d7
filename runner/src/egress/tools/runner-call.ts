import * as z from 'zod';
import { ToolSpec } from '@switchyard/shared/protocol/attempt-spec';

/**
 * Requests of the proxy to the runner over `tools.sock`, each a POST of JSON. The runner answers
 * 404 for an attempt that it does not hold, or has not taken over yet.
 */
export const TOOL_PATHS = { list: '/tools', call: '/call', abandoned: '/abandoned' } as const;

const attempt = { attemptId: z.string().max(100), epoch: z.int().nonnegative() };
/** Equal for every repetition of a call, and unique otherwise. */
const key = z.string().regex(/^[0-9a-f]{64}$/);

/** The attempt whose tools are requested. */
export const ToolOwner = z.strictObject(attempt);
export type ToolOwner = z.infer<typeof ToolOwner>;

/** A call, possibly repeated: the runner performs it once. */
export const RunnerCall = z.strictObject({
  ...attempt,
  key,
  tool: z.string().max(200),
  arguments: z.record(z.string(), z.unknown()),
});
export type RunnerCall = z.infer<typeof RunnerCall>;

/** Nobody waits for a call any more. */
export const AbandonedCall = z.strictObject({
  ...attempt,
  key,
  /** True when the client cancelled; otherwise its connection broke, and it may repeat the call. */
  cancelled: z.boolean(),
});
export type AbandonedCall = z.infer<typeof AbandonedCall>;

export const ToolList = z.object({ tools: z.array(ToolSpec) });
export const CallAnswer = z.object({ success: z.boolean(), text: z.string() });
export type CallAnswer = z.infer<typeof CallAnswer>;
