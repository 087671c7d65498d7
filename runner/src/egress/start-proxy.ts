import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const START_TIMEOUT_MS = 10_000;

/** The shortest limit on a unix socket's path among supported systems, without the final zero. */
const MAX_SOCKET_PATH_BYTES = 103;

/** Path of the control socket for a runner's data folder. Throws when it is too long. */
export function controlSocketPath(dataFolder: string): string {
  const path = join(dataFolder, 'egress', 'control.sock');
  if (Buffer.byteLength(path) > MAX_SOCKET_PATH_BYTES) {
    throw new Error(`data folder ${dataFolder}: too long a path for a socket, use a shorter one`);
  }
  return path;
}

/** Port of this data folder's last proxy; 0 when there was none. */
export async function rememberedPort(dataFolder: string): Promise<number> {
  const text = await readFile(join(dataFolder, 'egress', 'port'), 'utf8').catch(() => '0');
  const port = Number(text);
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : 0;
}

export async function rememberPort(dataFolder: string, port: number): Promise<void> {
  await writeFile(join(dataFolder, 'egress', 'port'), String(port), { mode: 0o600 });
}

/**
 * Starts the proxy as a separate process that outlives this one, and waits until `isUp` is true.
 * Throws after 10 s with the name of the log file.
 */
export async function startProxy(
  dataFolder: string,
  isUp: () => Promise<boolean>,
  options: { idleMinutes?: number; port?: number },
): Promise<void> {
  const folder = join(dataFolder, 'egress');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const logFile = join(folder, 'proxy.log');
  const log = openSync(logFile, 'w', 0o600);
  const args = ['--control', controlSocketPath(dataFolder)];
  if (options.idleMinutes !== undefined) args.push('--idle-minutes', String(options.idleMinutes));
  if (options.port !== undefined) args.push('--port', String(options.port));
  const child = spawn(
    process.execPath,
    [fileURLToPath(new URL('./main.ts', import.meta.url)), ...args],
    { detached: true, stdio: ['ignore', log, log], cwd: '/', env: cleanEnvironment() },
  );
  closeSync(log);
  let failure: Error | null = null;
  child.once('error', (error) => (failure = error));
  child.unref();
  const end = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < end && failure === null) {
    if (await isUp()) return;
    if (child.exitCode !== null) break;
    await delay(20);
  }
  throw new Error(`the model proxy did not start, see ${logFile}`, { cause: failure });
}

/**
 * An environment with trust settings for https providers and nothing that could be a credential.
 */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const kept = [
    'PATH',
    'HOME',
    'LANG',
    'TZ',
    'NODE_EXTRA_CA_CERTS',
    'SSL_CERT_FILE',
    'SSL_CERT_DIR',
  ];
  return Object.fromEntries(
    kept.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])),
  );
}
