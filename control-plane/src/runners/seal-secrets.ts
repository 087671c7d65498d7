import { isSendableSecret } from '@switchyard/shared/sandbox/work-secret';
import type { WorkSecret } from '@switchyard/shared/sandbox/work-secret';
import { CompactEncrypt, importJWK } from 'jose';
import { engineKeyValue } from '../config/engine-key.ts';
import { secretValue } from '../config/resolve-secret.ts';
import type { RunnerRow } from '../db/schema/runners.ts';
import type { Deps } from '../deps.ts';
import { runnerById } from './queries.ts';

/**
 * The provider's key, readable by one runner only: a compact JWE (ECDH-ES, A256GCM) to its X25519
 * key. Null when no key is configured. The clear text is never stored or logged.
 */
export async function sealSecrets(
  deps: Pick<Deps, 'db' | 'config' | 'resolveSecret' | 'logger'>,
  runnerId: string,
): Promise<string | null> {
  const runner = await runnerById(deps.db, runnerId);
  return runner === null ? null : sealSecretsFor(deps, runner);
}

/** The same for a runner whose row is at hand, with what its attempt was granted for the work. */
export async function sealSecretsFor(
  deps: Pick<Deps, 'config' | 'resolveSecret' | 'logger'>,
  runner: Pick<RunnerRow, 'runner_id' | 'sealing_key' | 'isolation'>,
  granted: readonly WorkSecret[] = [],
): Promise<string | null> {
  const config = await deps.config.load();
  const apiKey = await secretValue(
    engineKeyValue(config),
    deps.resolveSecret,
    readerOf(runner.runner_id),
  );
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
