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

/** An engine with its model and the account that it uses. */
export type EngineChoice = {
  /** Name in the configuration; `default` stands for engine.name, model and provider. */
  name: string;
  /** Engine name; undefined: the runner's default engine. */
  engine: string | undefined;
  model: string;
  reasoningEffort: string | undefined;
  /** Account name; undefined: engine.provider. */
  account: string | undefined;
  /** The provider's settings without its key. */
  provider: { name: string; baseUrl: string; wireApi: WireApi };
};

/**
 * An account's configured settings with its key or reference, also during a trial; undefined stands
 * for engine.provider. Used for work that a real model began, which keeps its key and prices.
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
 * As `configuredProvider`, for new work: during a trial every account is the scripted model with
 * its own format, so that no key is used and no provider gets requests.
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

/** The choice with a trial's scripted model in place of its model and provider. */
export function asScripted(choice: EngineChoice): EngineChoice {
  const { apiKey: _none, ...provider } = scriptedProvider(choice.provider);
  return { ...choice, model: SCRIPTED_MODEL, reasoningEffort: undefined, provider };
}

/** The choice with this name; null when the configuration has none. */
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

/**
 * The choice for a name that a person gave: that of a choice, or of an engine, which means its
 * first choice.
 */
export function choiceAsked(config: Engine, asked: string): EngineChoice | null {
  const { engine } = config;
  const byName = choiceNamed(config, asked);
  if (byName !== null) return byName;
  const first = engine.choices.find((choice) => choice.engine === asked);
  if (first !== undefined) return choiceNamed(config, first.name);
  return engineName(engine.name) === asked ? choiceNamed(config, DEFAULT_CHOICE) : null;
}

/** All names that `choiceAsked` accepts. */
export function askableNames({ engine }: Engine): string[] {
  const names = engine.choices.map(({ name }) => name);
  const engines = [...engine.choices.map((choice) => choice.engine), engineName(engine.name)];
  return [...new Set([DEFAULT_CHOICE, ...names, ...engines])];
}
