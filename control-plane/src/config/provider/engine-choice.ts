import {
  SCRIPTED_BASE_URL,
  SCRIPTED_MODEL,
  SCRIPTED_PROVIDER,
} from '@switchyard/shared/model-providers/scripted-model';
import type { WireApi } from '@switchyard/shared/model-providers/wire-api';
import type { EffectiveConfig } from '../schema/config-schema.ts';
import { DEFAULT_CHOICE } from '../sections/routing/engine-choices.ts';
import { engineName } from '../sections/routing/format-problem.ts';

type Engine = Pick<EffectiveConfig, 'engine'>;

/** An engine with its model and the account that pays for it. */
export type EngineChoice = {
  /** Name in the configuration; `default` stands for engine.name, model and provider. */
  name: string;
  /** Undefined: the runner's default engine. */
  engine: string | undefined;
  model: string;
  reasoningEffort: string | undefined;
  /** Undefined: engine.provider. */
  account: string | undefined;
  /** Without its key. */
  provider: { name: string; baseUrl: string; wireApi: WireApi };
};

/**
 * Settings of an account as they are configured, key or reference included, also on trial; undefined
 * stands for engine.provider. For work that a model has begun: its key and its prices stay.
 */
export function configuredProvider(
  { engine }: Engine,
  account: string | undefined,
): EffectiveConfig['engine']['provider'] | null {
  if (account === undefined) return engine.provider;
  const found = engine.accounts.find(({ name }) => name === account);
  return found === undefined ? null : { apiKey: undefined, ...found.provider };
}

/**
 * The same for work that begins: on trial every account is the script, in the format of its own, so
 * that no key is used and nobody is asked.
 */
export function providerOfAccount(
  config: Engine,
  account: string | undefined,
): EffectiveConfig['engine']['provider'] | null {
  const found = configuredProvider(config, account);
  return found !== null && config.engine.trial ? scriptedProvider(found) : found;
}

function scriptedProvider({ wireApi }: Pick<EngineChoice['provider'], 'wireApi'>) {
  return { name: SCRIPTED_PROVIDER, baseUrl: SCRIPTED_BASE_URL, wireApi, apiKey: undefined };
}

/** The choice with the script in place of its model and provider. */
export function asScripted(choice: EngineChoice): EngineChoice {
  const { apiKey: _none, ...provider } = scriptedProvider(choice.provider);
  return { ...choice, model: SCRIPTED_MODEL, reasoningEffort: undefined, provider };
}

/** The choice of that name; null when the configuration has none. */
export function choiceNamed(config: Engine, name: string): EngineChoice | null {
  const { engine } = config;
  const own = engine.choices.find((choice) => choice.name === name);
  if (own === undefined && name !== DEFAULT_CHOICE) return null;
  const { account, model, reasoningEffort } = own ?? { ...engine, account: undefined };
  const provider = providerOfAccount(config, account);
  if (provider === null) return null;
  const { baseUrl, wireApi } = provider;
  const choice = {
    name,
    engine: own === undefined ? engine.name : own.engine,
    model,
    reasoningEffort,
    account,
    provider: { name: provider.name, baseUrl, wireApi },
  };
  return engine.trial ? asScripted(choice) : choice;
}

/** What a person may write: the name of a choice, or that of an engine, whose first choice it is. */
export function choiceAsked(config: Engine, asked: string): EngineChoice | null {
  const { engine } = config;
  const byName = choiceNamed(config, asked);
  if (byName !== null) return byName;
  const first = engine.choices.find((choice) => choice.engine === asked);
  if (first !== undefined) return choiceNamed(config, first.name);
  return engineName(engine.name) === asked ? choiceNamed(config, DEFAULT_CHOICE) : null;
}

/** Every name that `choiceAsked` knows. */
export function askableNames({ engine }: Engine): string[] {
  const names = engine.choices.map(({ name }) => name);
  const engines = [...engine.choices.map((choice) => choice.engine), engineName(engine.name)];
  return [...new Set([DEFAULT_CHOICE, ...names, ...engines])];
}
