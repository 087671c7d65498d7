import type { Caller } from '../../http/caller/caller.ts';
import type { Statement } from '../../db/database.ts';
import { changeOverlay } from '../../config/overlay/change-overlay.ts';
import { removeFromOverlay, setAllInOverlay } from '../../config/overlay/set-in-overlay.ts';
import { type SecretValue, setSecretStatements } from '../../config/secrets/set-secret.ts';
import type { SetupDeps } from './setup-deps.ts';

type Settings = Readonly<Record<string, string | boolean | null>>;

/**
 * Stores what a step of the setup was given in one transaction: the secrets and the settings that
 * refer to them. In between, work would run with the new key at the old address.
 */
export async function storeSettings(
  deps: SetupDeps,
  input: {
    caller: Caller;
    /** For the audit row, for example `provider.connect`. */
    operation: string;
    subject: string;
    secrets: readonly SecretValue[];
    /** Stored with them. */
    also?: readonly Statement[];
    /** By dotted path; null is a value. */
    settings: Settings;
    /** Further ones that follow from the newest configuration; called as that is loaded. */
    settingsNow?: () => Settings;
    /** Dotted paths at which the layers below count again. */
    unset?: readonly string[];
    /** Called as the newest configuration is loaded; what it throws is thrown, and nothing stored. */
    requireUnchanged?: () => void;
  },
): Promise<void> {
  const { caller, operation, subject, settings, unset = [] } = input;
  const stored = input.secrets.map((secret) => setSecretStatements(deps, { caller, ...secret }));
  await changeOverlay(deps, {
    caller,
    operation,
    subject,
    also: [...(await Promise.all(stored)).flat(), ...(input.also ?? [])],
    gives: [...Object.keys(settings), ...unset],
    change: (overlay) => {
      input.requireUnchanged?.();
      return unset.reduce(
        (next, path) => removeFromOverlay(next, path.split('.')) ?? next,
        setAllInOverlay(overlay, { ...settings, ...input.settingsNow?.() }),
      );
    },
  });
}
