import {
  createLinearClient,
  type LinearAllowance,
  type LinearClient,
} from '../../../control-plane/src/integrations/linear/api/linear-client.ts';
import type {
  LinearScope,
  LinearSettings,
} from '../../../control-plane/src/integrations/linear/linear-settings.ts';
import { createLinearTracker } from '../../../control-plane/src/integrations/linear/linear-tracker.ts';
import type { Tracker } from '../../../control-plane/src/ports/tracker/tracker.ts';

type LinearGiven = {
  endpoint: string;
  /** Value of the `Authorization` header, asked anew on every use. */
  credential: () => string | null;
  scope: LinearScope;
  clock: { nowMs(): number };
};

/** The adapter, for a team whose states have the names that Linear gives a new one. */
export function openLinear(given: LinearGiven): { ask: LinearClient; tracker: Tracker } {
  const { clock } = given;
  const settings: LinearSettings = {
    endpoint: () => given.endpoint,
    credential: () => Promise.resolve(given.credential()),
    roles: () => ({
      active: ['Todo', 'In Progress'],
      terminal: ['Done', 'Canceled'],
      started: 'In Progress',
      review: 'In Review',
      blocked: null,
    }),
    scope: () => given.scope,
  };
  const allowance: LinearAllowance = { left: null };
  const ask = createLinearClient({ clock, settings, allowance });
  return { ask, tracker: createLinearTracker({ settings, ask, allowance }) };
}
