import { encryptValue } from '../../../control-plane/src/config/secrets/encrypt-value.ts';
import { upsertSecret } from '../../../control-plane/src/config/secrets/queries.ts';
import type { CoreWorld } from './core-world.ts';

/** Stores a secret as an earlier version did, whatever is in it. */
export async function storeUnchecked(
  { deps }: CoreWorld,
  key: string,
  text: string,
): Promise<void> {
  const value = await encryptValue(await deps.masterKeys.current(), key, text);
  await deps.db.batch([
    upsertSecret(deps.db, deps.clock.nowMs(), { key, value, maxSecrets: 1_000 }),
  ]);
  deps.config.expire();
}
