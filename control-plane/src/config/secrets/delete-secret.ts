import type { Caller } from '../../http/caller/caller.ts';
import { isSecretName } from '@switchyard/shared/settings/secret-reference';
import { AppError } from '../../errors.ts';
import { deleteSecretRow } from './queries.ts';
import { type SecretDeps, storeWithTrail } from './store-with-trail.ts';

/** Deletes a secret; references to it become configuration problems. Throws `not_found`. */
export async function deleteSecret(
  deps: SecretDeps,
  input: { caller: Caller; key: string },
): Promise<void> {
  const { caller, key } = input;
  const unknown = new AppError('not_found', `secret ${JSON.stringify(key)} not found`);
  if (!isSecretName(key)) throw unknown;
  const nowMs = deps.clock.nowMs();
  const change = deleteSecretRow(deps.db, key);
  const committed = await storeWithTrail(deps, [
    { caller, operation: 'secret.delete', key, nowMs, change },
  ]);
  if (!committed) throw unknown;
}
