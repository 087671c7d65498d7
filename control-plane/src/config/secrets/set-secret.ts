import { isSendableSecret, UNSENDABLE_SECRET } from '@switchyard/shared/sandbox/work-secret';
import type { Step } from '../../db/commit-steps.ts';
import type { Caller } from '../../http/caller/caller.ts';
import { isSecretName } from '@switchyard/shared/settings/secret-reference';
import { AppError } from '../../errors.ts';
import { secretReferences } from '../values/secret-references.ts';
import { acceptSecret } from './accept-secret.ts';
import { encryptValue } from './encrypt-value.ts';
import { upsertSecret } from './queries.ts';
import {
  type SecretChange,
  type SecretDeps,
  storeWithTrail,
  withTrail,
} from './store-with-trail.ts';

const MAX_SECRETS = 1_000;
/** Settings that accept a private key in PEM. */
const TAKES_PEM = /privatekey$/i;
/** Path of a route's grant of a secret to the work. */
const GRANTED = /^repos\.\d+\.secrets\./;
export type SecretValue = { key: string; value: string };

/**
 * Stores secrets by name, replacing existing ones, all or none. Throws `bad_request` for an invalid
 * name or value, `conflict` when there are too many.
 */
export async function setSecrets(
  deps: SecretDeps,
  input: { caller: Caller; secrets: readonly SecretValue[] },
): Promise<void> {
  const changes = input.secrets.map((secret) => secretChange(deps, input.caller, secret));
  if (!(await storeWithTrail(deps, await Promise.all(changes)))) {
    throw new AppError('conflict', `there are ${MAX_SECRETS} secrets already; delete some first`);
  }
}

/** Stores one secret, as `setSecrets` does. */
export function setSecret(
  deps: SecretDeps,
  { caller, key, value }: SecretValue & { caller: Caller },
): Promise<void> {
  return setSecrets(deps, { caller, secrets: [{ key, value }] });
}

/** The statements that store a secret, for a batch that stores more. Throws as `setSecrets`. */
export async function setSecretStatements(
  deps: Pick<SecretDeps, 'db' | 'clock' | 'config' | 'masterKeys'>,
  { caller, key, value }: SecretValue & { caller: Caller },
): Promise<Step[]> {
  return withTrail(deps, await secretChange(deps, caller, { key, value }));
}

async function secretChange(
  deps: Pick<SecretDeps, 'db' | 'clock' | 'config' | 'masterKeys'>,
  caller: Caller,
  { key, value: given }: SecretValue,
): Promise<SecretChange> {
  if (!isSecretName(key)) {
    throw new AppError(
      'bad_request',
      'a secret is named by 1 to 200 letters, digits and _ . -, the first a letter, digit or _',
      { reason: 'invalid_secret_name' },
    );
  }
  const uses = secretReferences(await deps.config.load()).filter(({ name }) => name === key);
  const value = acceptSecret(given, { inLines: uses.every(({ path }) => TAKES_PEM.test(path)) });
  if (uses.some(({ path }) => GRANTED.test(path)) && !isSendableSecret(value)) {
    throw new AppError('bad_request', `the secret ${UNSENDABLE_SECRET}`, {
      reason: 'invalid_secret',
    });
  }
  const nowMs = deps.clock.nowMs();
  const encrypted = await encryptValue(await deps.masterKeys.current(), key, value);
  const change = upsertSecret(deps.db, nowMs, { key, value: encrypted, maxSecrets: MAX_SECRETS });
  const details = { masterKeyId: encrypted.masterKeyId };
  return { caller, operation: 'secret.set', key, nowMs, change, details };
}
