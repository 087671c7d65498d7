import type { TrackerConnection } from '@switchyard/shared/api/admin/tracker-connection';
import { secretReference } from '@switchyard/shared/settings/secret-reference';
import type { Caller } from '../../../http/caller/caller.ts';
import { callTracker } from '../../../issues/call-tracker.ts';
import { acceptSecret } from '../../../config/secrets/accept-secret.ts';
import type { SecretValue } from '../../../config/secrets/set-secret.ts';
import { VIEWER } from '../../../integrations/linear/api/documents.ts';
import { createLinearClient } from '../../../integrations/linear/api/linear-client.ts';
import { LINEAR_TRACKER } from '../../../integrations/linear/linear-settings.ts';
import { linearSettingsOf } from '../../../integrations/linear/linear-settings-of.ts';
import type { SetupDeps } from '../setup-deps.ts';
import { storeSettings } from '../store-settings.ts';
import { TRACKER_KEY_SECRET } from './tracker-secrets.ts';

/**
 * Makes Linear the tracker, with a key or token that it accepts; it becomes a secret that the
 * configuration refers to. Throws a 502 and stores nothing when Linear refuses it or is
 * unreachable.
 */
export async function connectTracker(
  deps: SetupDeps,
  input: {
    caller: Caller;
    credential: string;
    /** Secrets for the same transaction, such as a refresh token. */
    secrets?: readonly SecretValue[];
  },
): Promise<TrackerConnection> {
  const { caller } = input;
  const credential = acceptSecret(input.credential);
  const config = await deps.config.load();
  const present = linearSettingsOf(() => config, deps.resolveSecret);
  const settings = { ...present, credential: () => Promise.resolve(credential) };
  const ask = createLinearClient({ clock: deps.clock, settings });
  const { viewer, organization } = await callTracker(() => ask(VIEWER, {}));
  await storeSettings(deps, {
    caller,
    operation: 'tracker.connect',
    subject: LINEAR_TRACKER,
    secrets: [{ key: TRACKER_KEY_SECRET, value: credential }, ...(input.secrets ?? [])],
    settings: {
      'tracker.linear.apiKey': secretReference(TRACKER_KEY_SECRET),
      'tracker.kind': LINEAR_TRACKER,
    },
  });
  return { kind: LINEAR_TRACKER, organization: organization.name, user: viewer.name };
}
