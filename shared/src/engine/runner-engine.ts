import { z } from 'zod';
import { WireApi } from '../model-providers/wire-api.ts';

/** What an agent engine can do beyond turns, questions and cancellation, which every engine has. */
export const EngineCapabilities = z.object({
  /** Formats of model providers that it can ask, the preferred one first. */
  wireApis: z.array(WireApi).min(1).max(4),
  /** What becomes of words said during a turn: they join it, or they begin the next one. */
  steering: z.enum(['joins', 'queued']),
  /** A thread of an earlier attempt can be continued. */
  resume: z.boolean(),
  /** It can ask people questions and wait for the answers. */
  questions: z.boolean(),
  /** Its model can be given a reasoning effort. */
  reasoningEffort: z.boolean(),
  /** The operator routes (`/api/v1/engine/…`) can ask it. */
  operator: z.boolean(),
  /** Its contract is not fully kept, or not fully tested. */
  experimental: z.boolean(),
  /** It can work on trial, with the script of its runner in place of a model. Left out: it cannot. */
  scripted: z.boolean().optional(),
});
export type EngineCapabilities = z.infer<typeof EngineCapabilities>;

/** Name of an agent engine. */
export const EngineName = z.string().regex(/^[a-z][a-z0-9-]{0,39}$/);

/**
 * How an engine that a runner does not have yet comes to it. `fetchable`: it is fetched when an attempt
 * needs it, which is declined meanwhile. `fetching`: it is on its way. `failed`: it could not be
 * fetched, and after a while it may be. Left out: it is there.
 */
export const AwaitedState = z.enum(['fetchable', 'fetching', 'failed']).optional();
/** Why an engine could not be fetched, and what to do, in words for people. */
export const FetchProblem = z.string().max(500).optional();

/** An engine that a runner has, or may fetch, as its `hello` tells. */
export const RunnerEngine = z.object({
  name: EngineName,
  version: z.string().max(100),
  capabilities: EngineCapabilities,
  state: AwaitedState,
  problem: FetchProblem,
});
export type RunnerEngine = z.infer<typeof RunnerEngine>;
