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

/** An agent engine with what the configured choices say of it. */
export type ConfiguredEngine = {
  name: string;
  isDefault: boolean;
  /** Models without duplicates, that of the first choice first. */
  models: string[];
  /** Wire formats of the engine's providers. */
  wireApis: WireApi[];
  /** Warnings about models that a provider does not list. */
  modelWarnings: string[];
};

/** Every engine choice with a model, in the order in which they are tried if no rule matches. */
export function allChoices(config: Config): EngineChoice[] {
  const { choices, failover } = config.engine;
  const named = [DEFAULT_CHOICE, ...choices.map(({ name }) => name)];
  const names = new Set([...failover, ...named]);
  return [...names].flatMap((name) => choiceNamed(config, name) ?? []);
}

/** Engine of attempts for which neither a rule nor a person chooses one. */
export function defaultEngineOf(config: Config): string {
  return engineName(allChoices(config)[0]?.engine);
}

/**
 * Every engine that the configuration names, the default first; `offered` as for `modelWarning`.
 */
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
 * What a runner needs to start an engine outside an attempt: `given`, else the engine's first
 * choice, else the default choice's model and provider. Without `name` the default engine is used.
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

/**
 * A choice for an engine that no configured choice names, with the default choice's model and
 * provider.
 */
function unnamedChoice({ engine }: Config, name: string): EngineChoice {
  const { model, reasoningEffort, provider, trial } = engine;
  const choice = { name, engine: name, account: undefined, model, reasoningEffort, provider };
  return trial ? asScripted(choice) : choice;
}
