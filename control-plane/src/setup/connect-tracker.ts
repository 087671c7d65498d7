import type { TrackerConnection } from '@switchyard/shared/api/tracker-setup';
import type { Caller } from '../audit/caller.ts';
import { changeOverlay } from '../config/change-overlay.ts';
import { setInOverlay } from '../config/edit-overlay.ts';
import type { Deps } from '../deps.ts';
import { askTracker } from '../issues/ask-tracker.ts';
import { setSecret } from '../secrets/set-secret.ts';
import { VIEWER } from '../trackers/linear/documents.ts';
import { createLinearClient } from '../trackers/linear/linear-client.ts';
import { LINEAR_TRACKER } from '../trackers/linear/linear-settings.ts';
import { linearSettingsOf } from './linear-settings-of.ts';
import { TRACKER_KEY_SECRET } from './tracker-secrets.ts';

export type TrackerSetupDeps = Pick<
  Deps,
  'db' | 'clock' | 'config' | 'events' | 'masterKeys' | 'wake' | 'resolveSecret'
>;

/**
 * Makes Linear the tracker, with a key or token that it accepts: kept as a secret, to which the
 * configuration refers. Throws a 502 when Linear refuses it or is away; nothing is kept then.
 */
export async function connectTracker(
  deps: TrackerSetupDeps,
  input: { caller: Caller; credential: string },
): Promise<TrackerConnection> {
  const { caller, credential } = input;
  const config = await deps.config.load();
  const present = linearSettingsOf(() => config, deps.resolveSecret);
  const settings = { ...present, credential: () => Promise.resolve(credential) };
  const ask = createLinearClient({ clock: deps.clock, settings });
  const { viewer, organization } = await askTracker(() => ask(VIEWER, {}));
  await setSecret(deps, { caller, key: TRACKER_KEY_SECRET, value: credential });
  await changeOverlay(deps, {
    caller,
    operation: 'tracker.connect',
    subject: LINEAR_TRACKER,
    change: (overlay) => {
      const reference = `$SECRET:${TRACKER_KEY_SECRET}`;
      const keyed = setInOverlay(overlay, 'tracker.linear.apiKey', reference);
      return setInOverlay(keyed, 'tracker.kind', LINEAR_TRACKER);
    },
  });
  return { kind: LINEAR_TRACKER, organization: organization.name, user: viewer.name };
}
