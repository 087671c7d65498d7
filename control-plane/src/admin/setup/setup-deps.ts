import type { Deps } from '../../deps.ts';

/**
 * Dependencies for connecting an upstream: to query it, store its secret and refer to that in the
 * configuration.
 */
export type SetupDeps = Pick<
  Deps,
  'db' | 'clock' | 'config' | 'masterKeys' | 'wake' | 'resolveSecret'
>;
