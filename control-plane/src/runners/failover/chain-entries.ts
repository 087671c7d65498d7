import { isScriptedModel } from '@switchyard/shared/model-providers/scripted-model';
import type { ConfigStore } from '../../config/config-store.ts';
import type { EffectiveConfig } from '../../config/schema/config-schema.ts';
import type { EngineChoice } from '../../config/provider/engine-choice.ts';
import type { AttemptRow } from '../../db/schema/work/attempts.ts';
import { providerProblem } from '../../attempts/engine-choices/provider-problem.ts';
import { providerUpstream } from '../../attempts/upstreams/provider-upstream.ts';
import { engineNeeded } from '../available-engines/engines-of.ts';
import { isSameEngine } from '../../attempts/engine-choices/is-same-engine.ts';
import type { ChainEntry } from './decide-engine.ts';

/**
 * An issue's chain in the form that the decision uses: what each choice needs of runners and of its
 * account.
 */
export function chainEntries(
  chain: readonly EngineChoice[],
  config: Pick<EffectiveConfig, 'engine'>,
  problems: ReturnType<ConfigStore['problems']>,
): ChainEntry[] {
  return chain.map((choice) => {
    const problem = isScriptedModel(choice.model)
      ? null
      : providerProblem(config, choice, problems);
    return {
      name: choice.name,
      engine: engineNeeded(choice.engine, choice.model),
      upstream: providerUpstream(choice.provider.baseUrl, choice.account),
      unready: problem === null ? null : { code: 'provider_key_missing', reason: problem },
    };
  });
}

/**
 * The whole chain for an attempt that waits for its next runner; once the attempt has a thread, its
 * own choice comes first.
 */
export function chainFromWhereItWas(
  chain: readonly EngineChoice[],
  attempt: Pick<AttemptRow, 'engine' | 'account' | 'model' | 'thread_id'>,
): EngineChoice[] {
  if (attempt.thread_id === null) return [...chain];
  const was = (choice: EngineChoice) =>
    isSameEngine(attempt, choice) && attempt.model === choice.model;
  return [...chain.filter(was), ...chain.filter((choice) => !was(choice))];
}
