import type { Caller } from '../../http/caller/caller.ts';
import type { Statement } from '../../db/database.ts';
import { changeOverlay } from '../../config/overlay/change-overlay.ts';
import { removeFromOverlay, setAllInOverlay } from '../../config/overlay/set-in-overlay.ts';
import { type SecretValue, setSecretStatements } from '../../config/secrets/set-secret.ts';
import type { SetupDeps } from './setup-deps.ts';

type Settings = Readonly<Record<string, string | boolean | null>>;

/**
 * Stores the secrets of a setup step and the settings that refer to them in one transaction:
 * otherwise work could run with the new key at the old address.
 */
export async function storeSettings(
  deps: SetupDeps,
  input: {
    caller: Caller;
    /** Operation for the audit row, such as `provider.connect`. */
    operation: string;
    subject: string;
    secrets: readonly SecretValue[];
    /** Further statements for the same transaction. */
    also?: readonly Statement[];
    /** Settings by dotted path; null is a value. */
    settings: Settings;
    /** Further settings that depend on the newest configuration; called when that is loaded. */
    settingsNow?: () => Settings;
    /** Dotted paths that the overlay no longer sets. */
    unset?: readonly string[];
    /** Called when the newest configuration is loaded; if it throws, nothing is stored. */
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
