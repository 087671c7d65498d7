import { type WorkSecret, isSendableSecret } from '@switchyard/shared/sandbox/work-secret';
import { CompactEncrypt, importJWK } from 'jose';
import { providerKey } from '../../config/provider/provider-key.ts';
import type { RunnerRow } from '../../db/schema/runners/runners.ts';
import type { Deps } from '../../deps.ts';
import { runnerById } from '../queries.ts';

/** What is sealed for a runner: one provider's key and the secrets granted to the work. */
export type Sealed = {
  /**
   * Base url of the provider that gets the key, and the account to which the key belongs; left out:
   * that of engine.provider. Null: no key is sealed.
   */
  provider: { baseUrl: string; account?: string | undefined } | null;
  granted?: readonly WorkSecret[];
};

/**
 * Seals an account's key and the granted secrets for one runner: a compact JWE (ECDH-ES, A256GCM)
 * to its X25519 key. Null if neither a key is configured for the account at that address nor a
 * granted secret is usable. The plain text is never stored or logged.
 */
export async function sealSecrets(
  deps: Pick<Deps, 'db' | 'config' | 'resolveSecret' | 'logger'>,
  runnerId: string,
  what: Sealed,
): Promise<string | null> {
  const runner = await runnerById(deps.db, runnerId);
  return runner === null ? null : sealSecretsFor(deps, runner, what);
}

/** As `sealSecrets`, for a runner whose row is already read. */
export async function sealSecretsFor(
  deps: Pick<Deps, 'config' | 'resolveSecret' | 'logger'>,
  runner: Pick<RunnerRow, 'runner_id' | 'sealing_key' | 'isolation'>,
  { provider, granted = [] }: Sealed,
): Promise<string | null> {
  const reader = readerOf(runner.runner_id);
  const apiKey = provider === null ? null : await providerKey(deps, { ...provider, reader });
  // Without a container there is no proxy between agent and network that could add secrets.
  const values = runner.isolation === 'docker' ? await valuesOf(deps, runner, granted) : {};
  const hasValues = Object.keys(values).length > 0;
  if (apiKey === null && !hasValues) return null;
  return sealFor(runner, {
    ...(apiKey === null ? {} : { providerApiKey: apiKey }),
    ...(hasValues ? { workSecrets: values } : {}),
  });
}

/**
 * Secret values by name; a missing or unusable one is left out, and requests for it are refused.
 */
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
