import { EngineAccount, EngineDone, EngineLogin } from '@switchyard/shared/api/engine';
import { isSecretReference, referredSecret } from '@switchyard/shared/settings/secret-reference';
import type { z } from 'zod';
import type { Caller } from '../../http/caller/caller.ts';
import { ENGINE_LOGIN_SECRET, engineKeyValue } from '../../config/provider/engine-key.ts';
import { secretValue } from '../../config/resolve-secret.ts';
import type { ConfigStore } from '../../config/config-store.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { deleteSecret } from '../../config/secrets/delete-secret.ts';
import { setSecret } from '../../config/secrets/set-secret.ts';
import type { SecretDeps } from '../../config/secrets/store-with-trail.ts';
import { askEngine, type EngineDeps, type EngineQuestion } from './ask-engine.ts';
import { selectRunner } from './select-runner.ts';

/** Which runner's engine, and who asks. */
type Chosen = Omit<EngineQuestion, 'operation'> & { caller: Caller };
type LoginKey = Chosen & { apiKey: string };

/** Dependencies for the provider account of an agent engine. */
export type AccountDeps = {
  changeEngine: <S extends z.ZodType>(
    schema: S,
    input: EngineQuestion & { caller: Caller },
  ) => Promise<z.infer<S>>;
  keepLoginKey: (key: LoginKey) => Promise<z.infer<typeof EngineLogin>>;
  forgetLoginKey: (caller: Caller) => Promise<void>;
};

const BY_KEY = 'apiKey';
const NO_KEY_WANTED =
  'the model provider in use is set up without a key; connect it with one in the setup (POST /api/v1/setup/provider)';
/** Name of the reader in the access log of secrets. */
const READER = 'engine account';

/**
 * Reads the engine's account; if it has none, the key that the model proxy uses counts as its
 * account.
 */
export async function readAccount(
  deps: EngineDeps,
  input: Omit<EngineQuestion, 'operation'>,
): Promise<z.infer<typeof EngineAccount>> {
  const operation = { op: 'account.read' } as const;
  const answer = await askEngine(deps, EngineAccount, { operation, ...input });
  if (answer.account !== null) return answer;
  const value = engineKeyValue(await deps.config.load());
  const key = await secretValue(value, deps.resolveSecret, READER);
  return key === null ? answer : { ...answer, account: { type: BY_KEY } };
}

/**
 * Begins a login. An API key is stored as a secret for the model proxy, and no engine sees it.
 * Other types are passed to the engine, and a person completes them elsewhere.
 */
export async function startLogin(
  deps: Pick<AccountDeps, 'changeEngine' | 'keepLoginKey'>,
  input: { type: string; apiKey?: string | undefined } & Chosen,
): Promise<z.infer<typeof EngineLogin>> {
  const { type, apiKey, ...chosen } = input;
  if (type !== BY_KEY) {
    if (apiKey !== undefined) {
      throw new AppError('bad_request', `apiKey: only for the type ${BY_KEY}`);
    }
    const operation = { op: 'account.login', type } as const;
    return deps.changeEngine(EngineLogin, { operation, ...chosen });
  }
  if (apiKey === undefined) throw new AppError('bad_request', 'apiKey: required for this type');
  return deps.keepLoginKey({ apiKey, ...chosen });
}

/** Stores the API key of a login. Throws `conflict` when the provider in use needs none. */
export async function keepLoginKey(
  deps: SecretDeps & Pick<Deps, 'connections'>,
  { apiKey, runner, engine, caller }: LoginKey,
): Promise<z.infer<typeof EngineLogin>> {
  const { runnerId } = await selectRunner(deps, { wanted: runner, engine });
  const secret = await loginSecret(deps.config);
  if (secret === null) throw new AppError('conflict', NO_KEY_WANTED, { reason: 'no_key_wanted' });
  const { name, used } = secret;
  await setSecret(deps, { caller, key: name, value: apiKey });
  return { type: BY_KEY, secret: name, used, runnerId };
}

/** Signs the engine out and deletes the secret where a login stores its key, whoever set it. */
export async function logOut(
  deps: Pick<AccountDeps, 'changeEngine' | 'forgetLoginKey'>,
  input: Chosen,
): Promise<z.infer<typeof EngineDone>> {
  const operation = { op: 'account.logout' } as const;
  const answer = await deps.changeEngine(EngineDone, { operation, ...input });
  await deps.forgetLoginKey(input.caller);
  return answer;
}

/** Deletes the secret where a login stores its key, if there is one. */
export async function forgetLoginKey(deps: SecretDeps, caller: Caller): Promise<void> {
  const secret = await loginSecret(deps.config);
  if (secret === null) return;
  try {
    await deleteSecret(deps, { caller, key: secret.name });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
  }
}

/**
 * The secret with the provider's key: the configured one, else the login's. Null if the provider's
 * address needs no key, since the login's key may belong to another address.
 */
async function loginSecret(
  config: Pick<ConfigStore, 'load'>,
): Promise<{ name: string; used: boolean } | null> {
  const loaded = await config.load();
  if (loaded.engine.provider.apiKey === null) return null;
  const value = engineKeyValue(loaded);
  return isSecretReference(value)
    ? { name: referredSecret(value), used: true }
    : { name: ENGINE_LOGIN_SECRET, used: false };
}
