import { z } from 'zod';
import { AwaitedState, EngineCapabilities, FetchProblem } from '../engine/runner-engine.ts';
import { WireApi } from '../model-providers/wire-api.ts';
import { EngineTestFailureKind, MAX_ENGINE_TEST_MS } from '../engine/engine-test-failure.ts';
import { namedObject, strictNamedObject } from '../named-object.ts';
import { TokenUsage } from './work/attempt.ts';

/** A runner that has the engine or can fetch it. */
const EnginePlace = z.object({
  runnerId: z.string(),
  name: z.string(),
  /** Version of the engine on that runner; null: the runner does not report it. */
  version: z.string().nullable(),
  state: AwaitedState,
  problem: FetchProblem,
  connected: z.boolean(),
});

/** An agent engine that the configuration selects somewhere, or that a runner has. */
export const Engine = namedObject('Engine', {
  name: z.string(),
  /**
   * Whether the configuration names the engine: as the default, in a rule, an account or a fallback
   * chain.
   */
  configured: z.boolean(),
  /** Attempts use this engine unless another one is selected for them. */
  isDefault: z.boolean(),
  /** The engine does not keep its whole contract, or is not fully tested. */
  experimental: z.boolean(),
  /** Null: no runner has reported them. */
  capabilities: EngineCapabilities.nullable(),
  /** The capabilities as sentences; empty while they are unknown. */
  abilities: z.array(z.object({ name: z.string(), supported: z.boolean(), text: z.string() })),
  runners: z.array(EnginePlace),
  /** Models that the configuration gives to the engine, the default one first. */
  models: z.array(z.string()),
  /** API formats of the providers that are configured for the engine. */
  wireApis: z.array(WireApi),
  /** What prevents the engine from working and how to fix it; null: no problem is known. */
  advice: z.string().nullable(),
});
export type Engine = z.infer<typeof Engine>;

/** A configured combination of engine, model and provider account. */
export const EngineChoice = namedObject('EngineChoice', {
  /**
   * The name by which rules, chains and issues refer to the choice; `default` is engine.name, model
   * and provider.
   */
  name: z.string(),
  engine: z.string(),
  model: z.string(),
  reasoningEffort: z.string().nullable(),
  /** Name of the model provider's account; null: engine.provider. */
  account: z.string().nullable(),
  /** Attempts start with this choice unless a rule or a person selects another one. */
  isDefault: z.boolean(),
});
export type EngineChoice = z.infer<typeof EngineChoice>;

export const EngineList = namedObject('EngineList', {
  engines: z.array(Engine),
  /** Choices in the order in which they are tried where no rule says otherwise. */
  choices: z.array(EngineChoice),
});
export type EngineList = z.infer<typeof EngineList>;

/** `POST /api/v1/engines/{name}/test`; every field is optional. */
export const TestEngine = strictNamedObject(
  'TestEngine',
  {
    /** Id of a runner; left out: the least busy runner that has the engine. */
    runner: z.string().min(1).max(64).optional(),
    /** Name of a choice whose model and account are used; left out: the engine's first choice. */
    choice: z.string().min(1).max(100).optional(),
    /** Timeout of the test, milliseconds; 120,000 when left out. */
    timeoutMs: z.int().min(5_000).max(MAX_ENGINE_TEST_MS).optional(),
  },
  'Where and with what',
);

/** The result of one small test turn of an engine. */
export const EngineTest = namedObject('EngineTest', {
  engine: z.string(),
  /** Version that the engine reported; null: it did not start. */
  version: z.string().nullable(),
  runnerId: z.string(),
  model: z.string(),
  /** Name of the model provider's account; null: engine.provider. */
  account: z.string().nullable(),
  /**
   * Time from the start of the container until the engine had opened a thread; null: it never did.
   */
  startMs: z.number().nullable(),
  /** Duration of the turn alone. */
  turnMs: z.number().nullable(),
  /** Tokens of the turn; null: neither engine nor provider reported them. */
  tokens: z.object(TokenUsage.shape).nullable(),
  /** Beginning of the agent's answer. */
  text: z.string(),
  /** Null: the engine works. */
  failure: z
    .object({
      kind: EngineTestFailureKind,
      message: z.string(),
      /** What a person should do about the failure. */
      advice: z.string(),
      /** When the provider's limit resets, if the provider says so. */
      resetAt: z.iso.datetime().nullable(),
    })
    .nullable(),
});
export type EngineTest = z.infer<typeof EngineTest>;
