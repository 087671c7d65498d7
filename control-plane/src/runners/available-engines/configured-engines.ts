import type { EngineSpec } from '@switchyard/shared/protocol/attempt-spec';
import type { WireApi } from '@switchyard/shared/model-providers/wire-api';
import {
  asScripted,
  choiceAsked,
  choiceNamed,
  type EngineChoice,
} from '../../config/provider/engine-choice.ts';
import { modelWarning, type OfferedFact } from '../../config/provider/offered-models.ts';
import type { EffectiveConfig } from '../../config/schema/config-schema.ts';
import { DEFAULT_CHOICE } from '../../config/sections/routing/engine-choices.ts';
import { engineName } from '../../config/sections/routing/format-problem.ts';

type Config = Pick<EffectiveConfig, 'engine'>;

/** An agent engine as the configuration chooses it. */
export type ConfiguredEngine = {
  name: string;
  isDefault: boolean;
  /** Without repetition, the one of the first choice first. */
  models: string[];
  /** Formats of the providers that it is to ask. */
  wireApis: WireApi[];
  /** What is wrong with its models: a provider does not list them. */
  modelWarnings: string[];
};

/** Every choice of an engine with a model, in the order in which they are tried without a rule. */
export function allChoices(config: Config): EngineChoice[] {
  const { choices, failover } = config.engine;
  const named = [DEFAULT_CHOICE, ...choices.map(({ name }) => name)];
  const names = new Set([...failover, ...named]);
  return [...names].flatMap((name) => choiceNamed(config, name) ?? []);
}

/** Engine of attempts for which no rule and no person chooses one. */
export function defaultEngineOf(config: Config): string {
  return engineName(allChoices(config)[0]?.engine);
}

/** Every engine that the configuration names, the default one first; `offered`: see `modelWarning`. */
export function configuredEngines(
  config: Config,
  offered: OfferedFact | null = null,
): ConfiguredEngine[] {
  const choices = allChoices(config);
  const names = new Set(choices.map(({ engine }) => engineName(engine)));
  return [...names].map((name, index) => {
    const own = choices.filter(({ engine }) => engineName(engine) === name);
    return {
      name,
      isDefault: index === 0,
      models: [...new Set(own.map(({ model }) => model))],
      wireApis: [...new Set(own.map(({ provider }) => provider.wireApi))],
      modelWarnings: [
        ...new Set(
          own.flatMap(({ provider, model }) => modelWarning(offered, { ...provider, model }) ?? []),
        ),
      ],
    };
  });
}

/**
 * What a runner needs to start an engine outside an attempt: `given`, else the engine's first choice,
 * else the model and provider of the default choice. A name that is left out: the default engine.
 */
export function engineSpec(
  config: Config,
  name = defaultEngineOf(config),
  given: EngineChoice | null = null,
): EngineSpec {
  const choice = given ?? choiceAsked(config, name) ?? unnamedChoice(config, name);
  const { name: providerName, baseUrl, wireApi } = choice.provider;
  return {
    name,
    model: choice.model,
    ...(choice.reasoningEffort === undefined ? {} : { reasoningEffort: choice.reasoningEffort }),
    ...(choice.account === undefined ? {} : { account: choice.account }),
    provider: { name: providerName, baseUrl, wireApi },
  };
}

/** An engine that no choice names, with the model and provider of the default choice. */
function unnamedChoice({ engine }: Config, name: string): EngineChoice {
  const { model, reasoningEffort, provider, trial } = engine;
  const choice = { name, engine: name, account: undefined, model, reasoningEffort, provider };
  return trial ? asScripted(choice) : choice;
}
