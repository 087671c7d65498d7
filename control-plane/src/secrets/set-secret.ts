import type { Caller } from '../audit/caller.ts';
import { isSecretName } from '../config/redact-config.ts';
import { isFenced } from '../db/require-change.ts';
import { AppError } from '../errors.ts';
import { encryptValue } from './encrypt-value.ts';
import { upsertSecret } from './queries.ts';
import { type SecretDeps, storeWithTrail } from './store-with-trail.ts';

const MAX_SECRETS = 1_000;
/** Enough for a private key with its certificates. */
export const MAX_SECRET_CHARACTERS = 65_536;

/**
 * Stores a secret under a name, in place of one that is there. Throws `bad_request` for a name or
 * value that is not acceptable, `conflict` when there are too many.
 */
export async function setSecret(
  deps: SecretDeps,
  input: { caller: Caller; key: string; value: string },
): Promise<void> {
  const { key, value, caller } = input;
  if (!isSecretName(key)) {
    throw new AppError(
      'bad_request',
      'a secret is named by 1 to 200 letters, digits and _ . -, the first a letter, digit or _',
      { reason: 'invalid_secret_name' },
    );
  }
  if (value === '' || value.length > MAX_SECRET_CHARACTERS || !value.isWellFormed()) {
    throw new AppError('bad_request', `value: must have 1 to ${MAX_SECRET_CHARACTERS} characters`);
  }
  const nowMs = deps.clock.nowMs();
  const encrypted = await encryptValue(await deps.masterKeys.current(), key, value);
  const change = upsertSecret(deps.db, nowMs, { key, value: encrypted, maxSecrets: MAX_SECRETS });
  const details = { masterKeyId: encrypted.masterKeyId };
  try {
    await storeWithTrail(deps, { caller, operation: 'secret.set', key, nowMs, change, details });
  } catch (error) {
    if (!isFenced(error)) throw error;
    throw new AppError('conflict', `there are ${MAX_SECRETS} secrets already; delete some first`);
  }
}
