import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync, chmodSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseEnv } from 'node:util';
import { makeMasterKeyText } from '../../src/config/secrets/master-key.ts';

export type EdgeSettings = Readonly<Record<string, string | undefined>>;

/** Settings that `deploy` generates itself; the database's address is requested from the person. */
const MADE = {
  SERVICE_REMOTE_MASTER_KEY: makeMasterKeyText,
  SERVICE_WRITE_TOKEN: () => randomBytes(32).toString('base64url'),
  SERVICE_READ_TOKEN: () => randomBytes(32).toString('base64url'),
} as const;

/**
 * The Worker's name of each secret by its name on this machine, where `SERVICE_MASTER_KEY` is this
 * machine's own key.
 */
const WORKER_SECRETS = {
  SERVICE_DATABASE_URL: 'SERVICE_DATABASE_URL',
  SERVICE_DATABASE_TOKEN: 'SERVICE_DATABASE_TOKEN',
  SERVICE_REMOTE_MASTER_KEY: 'SERVICE_MASTER_KEY',
  SERVICE_WRITE_TOKEN: 'SERVICE_WRITE_TOKEN',
  SERVICE_READ_TOKEN: 'SERVICE_READ_TOKEN',
} as const;

/** Settings that are stored beside the secrets and passed as variables of the Worker. */
const KEPT_VARIABLES = ['SERVICE_RUNNER_POOLS'];

/**
 * The file of the settings that `deploy` generated or received, beside the database; only its owner
 * can read it.
 */
export function edgeFile(dataDir: string): string {
  return join(dataDir, 'edge.env');
}

/** Settings of the edge deployment from its file, overridden by the environment's. */
export function readEdgeSettings(
  dataDir: string,
  env: Readonly<Record<string, string | undefined>>,
): EdgeSettings {
  const path = edgeFile(dataDir);
  const kept = existsSync(path) ? parseEnv(readFileSync(path, 'utf8')) : {};
  const given = Object.entries(env).filter(([, value]) => value !== undefined && value !== '');
  return { ...kept, ...Object.fromEntries(given) };
}

/** Names of missing settings that can be generated here. */
export function missingMade(
  settings: EdgeSettings,
  { openReads }: { openReads: boolean },
): (keyof typeof MADE)[] {
  const names = Object.keys(MADE) as (keyof typeof MADE)[];
  return names.filter(
    (name) => (settings[name] ?? '') === '' && !(openReads && name === 'SERVICE_READ_TOKEN'),
  );
}

/**
 * Generates the missing settings that `deploy` can make, and saves the file before anything depends
 * on it.
 */
export function completeEdgeSettings(
  dataDir: string,
  settings: EdgeSettings,
  given: { answers: EdgeSettings; openReads: boolean },
): EdgeSettings {
  const made = missingMade(settings, given).map((name) => [name, MADE[name]()] as const);
  const all: EdgeSettings = { ...settings, ...given.answers, ...Object.fromEntries(made) };
  const lines = [...Object.keys(WORKER_SECRETS), ...KEPT_VARIABLES].flatMap((name) => {
    const value = all[name] ?? '';
    if (/['\r\n]/.test(value)) throw new Error(`${name} must have no quote and no line break`);
    return value === '' ? [] : [`${name}='${value}'`];
  });
  const path = edgeFile(dataDir);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, `${lines.join('\n')}\n`, { mode: 0o600 });
  chmodSync(path, 0o600);
  return all;
}

/** Secrets of the Worker by their name there; null deletes one. */
export function workerSecrets(
  settings: EdgeSettings,
  { openReads = false }: { openReads?: boolean } = {},
): Record<string, string | null> {
  const secrets: Record<string, string | null> = {};
  for (const [here, there] of Object.entries(WORKER_SECRETS)) {
    const value = settings[here] ?? '';
    if (openReads && here === 'SERVICE_READ_TOKEN') secrets[there] = null;
    else if (value !== '') secrets[there] = value;
  }
  return secrets;
}
