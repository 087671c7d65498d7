import { z } from 'zod';
import { WireApi } from '../model-providers/wire-api.ts';

/**
 * Capabilities of an agent engine beyond turns, questions and cancellation, which every engine has.
 */
export const EngineCapabilities = z.object({
  /** API formats of model providers that the engine supports, the preferred one first. */
  wireApis: z.array(WireApi).min(1).max(4),
  /**
   * What happens to a message during a turn: it joins that turn, or it is queued for the next one.
   */
  steering: z.enum(['joins', 'queued']),
  /** The engine can continue a thread of an earlier attempt. */
  resume: z.boolean(),
  /** The engine can ask people questions and wait for the answers. */
  questions: z.boolean(),
  /** The engine lets its caller set the model's reasoning effort. */
  reasoningEffort: z.boolean(),
  /** The engine answers the operator routes (`/api/v1/engine/…`). */
  operator: z.boolean(),
  /** The engine does not keep its whole contract, or is not fully tested. */
  experimental: z.boolean(),
  /**
   * The engine can work on trial, with the runner's script in place of a model. Left out: it
   * cannot.
   */
  scripted: z.boolean().optional(),
});
export type EngineCapabilities = z.infer<typeof EngineCapabilities>;

/** Name of an agent engine. */
export const EngineName = z.string().regex(/^[a-z][a-z0-9-]{0,39}$/);

/**
 * State of an engine that a runner does not have yet. `fetchable`: it is fetched when an attempt
 * needs it, and the attempt is declined meanwhile. `fetching`: the download runs. `failed`: the
 * download failed and may be retried later. Left out: the runner has the engine.
 */
export const AwaitedState = z.enum(['fetchable', 'fetching', 'failed']).optional();
/** Why an engine could not be fetched and what to do, as a text for people. */
export const FetchProblem = z.string().max(500).optional();

/** An engine that a runner has or can fetch, as reported in its `hello`. */
export const RunnerEngine = z.object({
  name: EngineName,
  version: z.string().max(100),
  capabilities: EngineCapabilities,
  state: AwaitedState,
  problem: FetchProblem,
});
export type RunnerEngine = z.infer<typeof RunnerEngine>;
