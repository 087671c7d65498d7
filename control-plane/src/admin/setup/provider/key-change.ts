import { providerAddress } from '@switchyard/shared/model-providers/hosted-providers';
import {
  isSecretReference,
  referredSecret,
  secretReference,
} from '@switchyard/shared/settings/secret-reference';
import { ENGINE_LOGIN_SECRET, engineKeyValue } from '../../../config/provider/engine-key.ts';
import { keyBelow } from '../../../config/provider/key-below.ts';
import {
  recordedAt,
  type RecordedProvider,
  type RecordedProviders,
  secretNameOf,
} from '../../../config/provider/recorded-providers.ts';
import { secretByKey } from '../../../config/secrets/queries.ts';
import type { SecretValue } from '../../../config/secrets/set-secret.ts';
import type { SetupDeps } from '../setup-deps.ts';
import type { ProviderTarget } from './provider-target.ts';

/** How keys change when a provider is configured. */
export type KeyChange = {
  /** Secrets to store. */
  secrets: SecretValue[];
  /**
   * New value of `engine.provider.apiKey`; null: no key is sent to the address; undefined:
   * unchanged.
   */
  setting: string | null | undefined;
  /** The file or the environment gives address and key, and applies again. */
  isInherited: boolean;
  /**
   * The provider that is replaced, with its key's secret, so that a person can switch back; null:
   * none.
   */
  left: RecordedProvider | null;
};

/**
 * Decides which secrets change when a provider is configured. Each address has its own key: the
 * replaced provider keeps its secret, and the new one gets the key that was given for it, now or
 * earlier, or none.
 */
export async function keyChange(
  { db, config: store }: Pick<SetupDeps, 'db' | 'config'>,
  target: ProviderTarget,
): Promise<KeyChange> {
  const { isHere, given, known, baseUrl, config } = target;
  const present = engineKeyValue(config);
  const isInherited = false;
  if (isHere) {
    if (given === undefined) return { secrets: [], setting: undefined, isInherited, left: null };
    const isOwn =
      isSecretReference(present) && !isOfAnother(known, baseUrl, referredSecret(present));
    const key = isOwn ? referredSecret(present) : await ownSecret(db, target);
    const secrets = [{ key, value: given }];
    return { secrets, setting: secretReference(key), isInherited, left: null };
  }
  const below = keyBelow(store, config.engine.provider.baseUrl);
  const kept = await keptSecret(db, target, { present, below });
  const { name, wireApi } = config.engine.provider;
  const left = { name, wireApi, model: config.engine.model, secret: kept.name };
  if (given !== undefined) {
    const key = await ownSecret(db, target, kept.name);
    const secrets = [...kept.secrets, { key, value: given }];
    return { secrets, setting: secretReference(key), isInherited, left };
  }
  const { secrets } = kept;
  const before = recordedAt(known, baseUrl)?.secret ?? null;
  if (before !== null && (await isStored(db, before))) {
    return { secrets, setting: secretReference(before), isInherited, left };
  }
  return keyBelow(store, baseUrl) === null
    ? { secrets, setting: null, isInherited, left }
    : { secrets, setting: undefined, isInherited: true, left };
}

/**
 * The secret that keeps the replaced provider's key; a literal key becomes a secret. A key from the
 * file or the environment is not copied, so that a change there stays effective.
 */
async function keptSecret(
  db: SetupDeps['db'],
  { config, known }: ProviderTarget,
  { present, below }: { present: string; below: string | null },
): Promise<{ name: string | null; secrets: SecretValue[] }> {
  if (present === '' || present === below) return { name: null, secrets: [] };
  const { baseUrl } = config.engine.provider;
  if (isSecretReference(present)) {
    const name = referredSecret(present);
    const isOwn = !isOfAnother(known, baseUrl, name) && (await isStored(db, name));
    return { name: isOwn ? name : null, secrets: [] };
  }
  const name = await secretNameOf(baseUrl);
  return { name, secrets: [{ key: name, value: present }] };
}

/** The secret for a new key: the usual one unless another address uses it, else a separate one. */
async function ownSecret(
  db: SetupDeps['db'],
  { config, known, baseUrl }: ProviderTarget,
  left: string | null = null,
): Promise<string> {
  const before = recordedAt(known, baseUrl)?.secret ?? null;
  if (before !== null) return before;
  const present = engineKeyValue(config);
  const usual = isSecretReference(present) ? referredSecret(present) : ENGINE_LOGIN_SECRET;
  const isTaken = usual === left || Object.values(known).some(({ secret }) => secret === usual);
  return isTaken || (await isStored(db, usual)) ? secretNameOf(baseUrl) : usual;
}

/** Whether a secret holds the key of another, remembered address. */
function isOfAnother(known: RecordedProviders, baseUrl: string, name: string): boolean {
  const address = providerAddress(baseUrl);
  return Object.entries(known).some(([other, { secret }]) => other !== address && secret === name);
}

async function isStored(db: SetupDeps['db'], name: string): Promise<boolean> {
  return (await secretByKey(db, name)) !== null;
}
