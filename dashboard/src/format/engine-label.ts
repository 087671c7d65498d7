import { isScriptedModel } from '@switchyard/shared/model-providers/scripted-model';
import type { Attempt } from '@switchyard/shared/api/work/attempt';

type Worked = Pick<Attempt, 'engine' | 'engineVersion' | 'account'> &
  Partial<Pick<Attempt, 'model'>>;

/**
 * An attempt's engine with its version and account, as far as known, and whether a script replaced
 * its model.
 */
export function engineLabel({ engine, engineVersion, account, model = null }: Worked): string {
  const version = plainVersion(engineVersion);
  const label = version === null ? engine : `${engine} ${version}`;
  const paid = account === null ? label : `${label}, account ${account}`;
  return isScriptedModel(model) ? `${paid}, scripted trial` : paid;
}

/** The number in an engine's version text, such as `0.166.0` of `name/0.166.0 (Linux)`. */
export function plainVersion(reported: string | null): string | null {
  if (reported === null) return null;
  return /\d+\.\d+(\.\d+)?[\w.+-]*/.exec(reported)?.[0] ?? reported;
}

/** Texts for an engine that a runner does not have yet, by its state. */
export const AWAITED_ENGINE = {
  fetchable: 'fetched when needed',
  fetching: 'being fetched',
  failed: 'could not be fetched',
} as const;
