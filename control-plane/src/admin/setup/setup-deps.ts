import type { Deps } from '../../deps.ts';

/** What connecting an upstream takes: to ask it, to keep its secret and to name that in the configuration. */
export type SetupDeps = Pick<
  Deps,
  'db' | 'clock' | 'config' | 'events' | 'masterKeys' | 'wake' | 'resolveSecret'
>;
