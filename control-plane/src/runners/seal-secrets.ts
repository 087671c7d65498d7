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
  deps: Pick<Deps, 'db' | 'config' | 'resolveSecret'>,
  runnerId: string,
): Promise<string | null> {
  const runner = await runnerById(deps.db, runnerId);
  return runner === null ? null : sealSecretsFor(deps, runner);
}

/** The same for a runner whose row is at hand. */
export async function sealSecretsFor(
  deps: Pick<Deps, 'config' | 'resolveSecret'>,
  runner: Pick<RunnerRow, 'runner_id' | 'sealing_key'>,
): Promise<string | null> {
  const config = await deps.config.load();
  const apiKey = await secretValue(
    engineKeyValue(config),
    deps.resolveSecret,
    `runner:${runner.runner_id}`,
  );
  return apiKey === null ? null : sealFor(runner, { providerApiKey: apiKey });
}

/** Secrets as a compact JWE (ECDH-ES, A256GCM) that one runner can open. */
export async function sealFor(
  runner: Pick<RunnerRow, 'sealing_key'>,
  secrets: Record<string, string>,
): Promise<string> {
  const key = await importJWK(runner.sealing_key, 'ECDH-ES');
  return new CompactEncrypt(new TextEncoder().encode(JSON.stringify(secrets)))
    .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A256GCM' })
    .encrypt(key);
}
