import { z } from 'zod';

/** An id that an engine assigned. */
export const EngineId = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/);
/** A token defined by the engine, for example a sort key. */
const EngineWord = z.string().regex(/^[A-Za-z][A-Za-z0-9_.-]{0,63}$/);
const page = {
  limit: z.int().min(1).max(500).optional(),
  /** The cursor of an earlier page. */
  cursor: z.string().min(1).max(2_048).optional(),
};
const thread = { threadId: EngineId };

/**
 * Operations that an operator may run on an agent engine. None of them starts a turn or runs a
 * command, and a runner refuses every operation beyond this list. Each engine's adapter translates
 * them.
 */
export const EngineOperation = z.discriminatedUnion('op', [
  z.strictObject({ op: z.literal('capabilities') }),
  z.strictObject({ op: z.literal('features'), ...page }),
  z.strictObject({ op: z.literal('modes') }),
  z.strictObject({ op: z.literal('mcp.list'), ...page }),
  z.strictObject({ op: z.literal('mcp.login'), name: z.string().min(1).max(200) }),
  z.strictObject({ op: z.literal('mcp.reload') }),
  z.strictObject({
    op: z.literal('threads.list'),
    ...page,
    sortKey: EngineWord.optional(),
    archived: z.boolean().optional(),
    modelProviders: z.array(EngineWord).max(50).optional(),
    sourceKinds: z.array(EngineWord).max(50).optional(),
  }),
  z.strictObject({ op: z.literal('threads.loaded') }),
  z.strictObject({ op: z.literal('thread.read'), ...thread, includeTurns: z.boolean() }),
  z.strictObject({ op: z.literal('thread.fork'), ...thread, lastTurnId: EngineId.optional() }),
  z.strictObject({ op: z.literal('thread.name'), ...thread, name: z.string().min(1).max(500) }),
  z.strictObject({ op: z.literal('thread.archive'), ...thread }),
  z.strictObject({ op: z.literal('thread.unarchive'), ...thread }),
  z.strictObject({ op: z.literal('thread.unsubscribe'), ...thread }),
  z.strictObject({ op: z.literal('account.read') }),
  z.strictObject({ op: z.literal('account.limits') }),
  /** Never carries a key: the control plane stores keys, and the model proxy uses them. */
  z.strictObject({ op: z.literal('account.login'), type: EngineWord }),
  z.strictObject({ op: z.literal('account.cancel_login'), loginId: EngineId }),
  z.strictObject({ op: z.literal('account.logout') }),
  /** The result is `EngineModels`. */
  z.strictObject({ op: z.literal('models') }),
]);
export type EngineOperation = z.infer<typeof EngineOperation>;

const EngineModel = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  reasoningEfforts: z.array(z.string()),
});
export type EngineModel = z.infer<typeof EngineModel>;

/**
 * Models that the engine lists, and ids of the provider's own list; null when the provider has no
 * list.
 */
export const EngineModels = z.object({
  data: z.array(EngineModel),
  provider: z.array(z.string()).nullable(),
});
export type EngineModels = z.infer<typeof EngineModels>;

/**
 * Size limit of an engine's answer as JSON; a frame holds 1 MiB. Longer answers are truncated or
 * refused.
 */
export const MAX_ENGINE_RESULT_BYTES = 786_432;

/** Concurrent operations of one runner; further ones get `unreachable` and may be retried. */

export const MAX_OPEN_ENGINE_OPERATIONS = 4;

/** Timeout for the start of an operator engine, until its first message. */
export const OPERATOR_START_TIMEOUT_MS = 20_000;

const failure = { message: z.string().max(4_000) };

/** Result of an operation. A refusal by the engine is an outcome, not a failed call. */
export const EngineOutcome = z.discriminatedUnion('outcome', [
  z.object({
    outcome: z.literal('answered'),
    /** The engine's result, unchanged except for truncation. */
    result: z.record(z.string(), z.unknown()),
    /** True: long texts in the result were truncated. */
    shortened: z.boolean(),
  }),
  /** The engine does not exist, has ended or does not respond. */
  z.object({ outcome: z.literal('unreachable'), ...failure }),
  /** The engine answered with an error. */
  z.object({ outcome: z.literal('refused'), ...failure }),
  /** This version of the engine cannot do it. */
  z.object({ outcome: z.literal('unsupported'), ...failure }),
  /** The engine has no such thread. */
  z.object({ outcome: z.literal('unknown_thread'), ...failure }),
  /** The engine does not understand a parameter. */
  z.object({ outcome: z.literal('invalid'), ...failure }),
  /** An attempt uses this thread and would be disturbed. */
  z.object({ outcome: z.literal('in_use'), ...failure }),
]);
export type EngineOutcome = z.infer<typeof EngineOutcome>;
