import { type WorkSecret, isSendableSecret } from '@switchyard/shared/sandbox/work-secret';
import { CompactEncrypt, importJWK } from 'jose';
import { providerKey } from '../../config/provider/provider-key.ts';
import type { RunnerRow } from '../../db/schema/runners/runners.ts';
import type { Deps } from '../../deps.ts';
import { runnerById } from '../queries.ts';

/** What is sealed for a runner: the key of one provider, and what the work was granted. */
export type Sealed = {
  /** Address of the provider that will be asked with the key. */
  providerBaseUrl: string;
  /** Account whose key it is; left out: engine.provider. */
  account?: string | undefined;
  granted?: readonly WorkSecret[];
};

/**
 * The key of an account of the provider, readable by one runner only: a compact JWE (ECDH-ES, A256GCM) to its X25519
 * key. Null when no key is configured for it at that address. The clear text is never stored or logged.
 */
export async function sealSecrets(
  deps: Pick<Deps, 'db' | 'config' | 'resolveSecret' | 'logger'>,
  runnerId: string,
  what: Sealed,
): Promise<string | null> {
  const runner = await runnerById(deps.db, runnerId);
  return runner === null ? null : sealSecretsFor(deps, runner, what);
}

/** The same for a runner whose row is at hand. */
export async function sealSecretsFor(
  deps: Pick<Deps, 'config' | 'resolveSecret' | 'logger'>,
  runner: Pick<RunnerRow, 'runner_id' | 'sealing_key' | 'isolation'>,
  { providerBaseUrl, account, granted = [] }: Sealed,
): Promise<string | null> {
  const apiKey = await providerKey(deps, {
    baseUrl: providerBaseUrl,
    account,
    reader: readerOf(runner.runner_id),
  });
  // Without a container no proxy stands between the agent and the world: nothing could be added.
  const values = runner.isolation === 'docker' ? await valuesOf(deps, runner, granted) : {};
  const hasValues = Object.keys(values).length > 0;
  if (apiKey === null && !hasValues) return null;
  return sealFor(runner, {
    ...(apiKey === null ? {} : { providerApiKey: apiKey }),
    ...(hasValues ? { workSecrets: values } : {}),
  });
}

/** By name; what is missing or cannot be sent is left out, and requests for it are refused. */
async function valuesOf(
  { resolveSecret, logger }: Pick<Deps, 'resolveSecret' | 'logger'>,
  runner: Pick<RunnerRow, 'runner_id'>,
  granted: readonly WorkSecret[],
): Promise<Record<string, string>> {
  const names = [...new Set(granted.map(({ name }) => name))];
  const found = await Promise.all(
    names.map(async (name) => {
      const value = (await resolveSecret(name, readerOf(runner.runner_id)))?.trim();
      if (value !== undefined && isSendableSecret(value)) return [[name, value] as const];
      logger.warn('a secret for the work is missing or cannot be sent', { secret: name });
      return [];
    }),
  );
  return Object.fromEntries(found.flat());
}

function readerOf(runnerId: string): string {
  return `runner:${runnerId}`;
}

/** Secrets as a compact JWE (ECDH-ES, A256GCM) that one runner can open. */
export async function sealFor(
  runner: Pick<RunnerRow, 'sealing_key'>,
  secrets: Record<string, unknown>,
): Promise<string> {
  const key = await importJWK(runner.sealing_key, 'ECDH-ES');
  return new CompactEncrypt(new TextEncoder().encode(JSON.stringify(secrets)))
    .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A256GCM' })
    .encrypt(key);
}
