import { isHosted } from '@switchyard/shared/model-providers/hosted-providers';
import type { EffectiveConfig } from '../../config/schema/config-schema.ts';
import type { ConfigProblem } from '../../config/config-store.ts';
import { type EngineChoice, providerOfAccount } from '../../config/provider/engine-choice.ts';

/**
 * Why agents cannot reach a model with a choice, by the configuration; null when no problem is
 * known. `problems` are those of the configuration, which name secrets that are missing.
 */
export function providerProblem(
  config: Pick<EffectiveConfig, 'engine'>,
  { account }: Pick<EngineChoice, 'account'>,
  problems: readonly ConfigProblem[],
): string | null {
  const provider = providerOfAccount(config, account);
  const of = account === undefined ? 'the model provider' : `the account ${account}`;
  const index = config.engine.accounts.findIndex(({ name }) => name === account);
  const path = `engine.accounts.${index}.provider.apiKey`;
  const isStored = !problems.some(
    (problem) => problem.code === 'missing_secret' && problem.path === path,
  );
  const isGiven = (provider?.apiKey ?? '') !== '';
  // Local model endpoints often need no key; hosted ones always do.
  if (isStored && (isGiven || provider === null || !isHosted(provider.baseUrl))) return null;
  return `no key of ${of} is set`;
}
