import { z } from 'zod';

/**
 * What an operator may ask of an agent engine: nothing here starts a turn or runs a command, and a
 * runner answers no operation beyond this list. Each engine's adapter knows its own words for them.
 */

/** An id that an engine gave out. */
export const EngineId = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/);
/** A word of the engine's own, for example a sort key. */
const EngineWord = z.string().regex(/^[A-Za-z][A-Za-z0-9_.-]{0,63}$/);
const page = {
  limit: z.int().min(1).max(500).optional(),
  /** As an earlier page gave it. */
  cursor: z.string().min(1).max(2_048).optional(),
};
const thread = { threadId: EngineId };

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
  /** Never carries a key: a key is kept by the control plane and used by the model proxy. */
  z.strictObject({ op: z.literal('account.login'), type: EngineWord }),
  z.strictObject({ op: z.literal('account.cancel_login'), loginId: EngineId }),
  z.strictObject({ op: z.literal('account.logout') }),
  /** Answers `EngineModels`. */
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

/** Models that the engine knows, and ids of the provider's own list; null when it gives none. */
export const EngineModels = z.object({
  data: z.array(EngineModel),
  provider: z.array(z.string()).nullable(),
});
export type EngineModels = z.infer<typeof EngineModels>;

/** Longest answer of an engine as JSON; a frame holds 1 MiB. Longer ones are shortened or refused. */
export const MAX_ENGINE_RESULT_BYTES = 786_432;

/** Operations of one runner at a time; the others are told to come back. */
export const MAX_OPEN_ENGINE_OPERATIONS = 4;

/** Longest start of an operator engine, until it speaks. */
export const OPERATOR_START_TIMEOUT_MS = 20_000;

const failure = { message: z.string().max(4_000) };

/** How an operation ended. What an engine refuses is an outcome, not a failed call. */
export const EngineOutcome = z.discriminatedUnion('outcome', [
  z.object({
    outcome: z.literal('answered'),
    /** As the engine said it. */
    result: z.record(z.string(), z.unknown()),
    /** Long texts in it were cut. */
    shortened: z.boolean(),
  }),
  /** There is no engine, it ended, or it is silent. */
  z.object({ outcome: z.literal('unreachable'), ...failure }),
  /** The engine answered with an error. */
  z.object({ outcome: z.literal('refused'), ...failure }),
  /** This version of the engine cannot do it. */
  z.object({ outcome: z.literal('unsupported'), ...failure }),
  /** The engine knows no such thread. */
  z.object({ outcome: z.literal('unknown_thread'), ...failure }),
  /** A parameter says nothing to the engine. */
  z.object({ outcome: z.literal('invalid'), ...failure }),
  /** An attempt works on this thread; it would be disturbed. */
  z.object({ outcome: z.literal('in_use'), ...failure }),
]);
export type EngineOutcome = z.infer<typeof EngineOutcome>;
