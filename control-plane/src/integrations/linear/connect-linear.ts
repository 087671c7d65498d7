import type { Clock } from '../../ports/ports.ts';
import type { Tracker } from '../../ports/tracker/tracker.ts';
import {
  createLinearClient,
  type LinearAllowance,
  type LinearClient,
} from './api/linear-client.ts';
import type { LinearScope, LinearSettings } from './linear-settings.ts';
import { createLinearTracker } from './linear-tracker.ts';

/** The configured Linear: its tracker and what its webhooks need. */
export type LinearConnection = { tracker: Tracker; ask: LinearClient; scope: () => LinearScope };

/** One connection for each process, so that all its users share the known rate limit. */
export function connectLinear(deps: { clock: Clock; settings: LinearSettings }): LinearConnection {
  const { clock, settings } = deps;
  const allowance: LinearAllowance = { left: null };
  const ask = createLinearClient({ clock, settings, allowance });
  const tracker = createLinearTracker({ settings, ask, allowance });
  return { tracker, ask, scope: () => settings.scope() };
}
