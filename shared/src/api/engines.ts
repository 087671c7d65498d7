import { z } from 'zod';
import { AwaitedState, EngineCapabilities, FetchProblem } from '../engine/runner-engine.ts';
import { WireApi } from '../model-providers/wire-api.ts';
import { EngineTestFailureKind, MAX_ENGINE_TEST_MS } from '../engine/engine-test-failure.ts';
import { namedObject, strictNamedObject } from '../named-object.ts';
import { TokenUsage } from './work/attempt.ts';

/** A runner that has an engine, or gets it. */
const EnginePlace = z.object({
  runnerId: z.string(),
  name: z.string(),
  /** Version of the engine there; null: the runner does not tell. */
  version: z.string().nullable(),
  state: AwaitedState,
  problem: FetchProblem,
  connected: z.boolean(),
});

/** An agent engine that the configuration chooses somewhere, or that a runner has. */
export const Engine = namedObject('Engine', {
  name: z.string(),
  /** The configuration names it: for everything, a rule, an account or a chain of engines. */
  configured: z.boolean(),
  /** Attempts use it unless something else is chosen for them. */
  isDefault: z.boolean(),
  /** Its contract is not fully kept, or not fully tested. */
  experimental: z.boolean(),
  /** Null: no runner has told. */
  capabilities: EngineCapabilities.nullable(),
  /** The capabilities in words; empty while they are not known. */
  abilities: z.array(z.object({ name: z.string(), supported: z.boolean(), text: z.string() })),
  runners: z.array(EnginePlace),
  /** Models that the configuration gives to it, the default one first. */
  models: z.array(z.string()),
  /** Formats of the providers that are configured for it. */
  wireApis: z.array(WireApi),
  /** What keeps it from working and what to do about it; null: nothing is known to. */
  advice: z.string().nullable(),
});
export type Engine = z.infer<typeof Engine>;

/** An engine with its model and account, as the configuration names it. */
export const EngineChoice = namedObject('EngineChoice', {
  /** What rules, chains and issues name it; `default` stands for engine.name, model and provider. */
  name: z.string(),
  engine: z.string(),
  model: z.string(),
  reasoningEffort: z.string().nullable(),
  /** Account of the model provider by name; null: engine.provider. */
  account: z.string().nullable(),
  /** Attempts begin with it unless a rule or a person chooses another one. */
  isDefault: z.boolean(),
});
export type EngineChoice = z.infer<typeof EngineChoice>;

export const EngineList = namedObject('EngineList', {
  engines: z.array(Engine),
  /** In the order in which they are tried where no rule says otherwise. */
  choices: z.array(EngineChoice),
});
export type EngineList = z.infer<typeof EngineList>;

/** `POST /api/v1/engines/{name}/test`; every field may be left out. */
export const TestEngine = strictNamedObject(
  'TestEngine',
  {
    /** Runner by id; left out: the least busy one that has the engine. */
    runner: z.string().min(1).max(64).optional(),
    /** Choice by name, whose model and account are used; left out: the engine's first one. */
    choice: z.string().min(1).max(100).optional(),
    /** Longest test, milliseconds; 120,000 when it is left out. */
    timeoutMs: z.int().min(5_000).max(MAX_ENGINE_TEST_MS).optional(),
  },
  'Where and with what',
);

/** How one small turn of an engine went. */
export const EngineTest = namedObject('EngineTest', {
  engine: z.string(),
  /** As the engine told it; null: it did not start. */
  version: z.string().nullable(),
  runnerId: z.string(),
  model: z.string(),
  /** Account of the model provider by name; null: engine.provider. */
  account: z.string().nullable(),
  /** From the start of the container until the engine had a thread; null: it did not get there. */
  startMs: z.number().nullable(),
  /** Of the turn alone. */
  turnMs: z.number().nullable(),
  /** Null: neither engine nor provider told. */
  tokens: z.object(TokenUsage.shape).nullable(),
  /** First words of the agent's answer. */
  text: z.string(),
  /** Null: the engine works. */
  failure: z
    .object({
      kind: EngineTestFailureKind,
      message: z.string(),
      /** What a person does about it. */
      advice: z.string(),
      /** When the provider says that it resets. */
      resetAt: z.iso.datetime().nullable(),
    })
    .nullable(),
});
export type EngineTest = z.infer<typeof EngineTest>;
