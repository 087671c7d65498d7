import { spawn } from 'node:child_process';
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../e2e/until.ts';
import { SQLD } from './sqld-part.ts';

const READY_TIMEOUT_MS = 30_000;
const TOKEN_SECONDS = 86_400;

export type Sqld = {
  url: string;
  token: string;
  /** What it wrote. */
  output(): string;
  /** Stands still as a machine that hangs does: it takes connections and answers nothing. */
  freeze(): void;
  /** Ends it at once and starts it on the same rows and address. */
  restart(): Promise<void>;
  /** Ends it and removes its files. */
  stop(): Promise<void>;
};

/** A real libSQL server on loopback that asks for a token, in a temporary folder of its own. */
export async function startSqld(): Promise<Sqld> {
  const folder = await mkdtemp(join(tmpdir(), 'swy-sqld-'));
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const keyFile = join(folder, 'jwt.pem');
  await writeFile(keyFile, publicKey.export({ type: 'spki', format: 'pem' }));
  const address = `127.0.0.1:${await freePort()}`;
  const flags = ['--http-listen-addr', address, '--auth-jwt-key-file', keyFile, '--no-welcome'];
  let output = '';
  const begin = () => {
    const child = spawn(SQLD, ['--db-path', join(folder, 'data'), ...flags], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env['PATH'] ?? '', HOME: folder },
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (bytes: Buffer) => {
        output = (output + bytes.toString()).slice(-20_000);
      });
    }
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    return { child, ended };
  };
  let running = begin();
  const endWithTests = () => void running.child.kill('SIGKILL');
  process.once('exit', endWithTests);
  const end = async (signal: NodeJS.Signals) => {
    const { child, ended } = running;
    if (child.exitCode === null && child.signalCode === null) {
      child.kill(signal);
      // One that is frozen hears of it only then.
      child.kill('SIGCONT');
    }
    await ended;
  };
  const stop = async () => {
    process.off('exit', endWithTests);
    await end('SIGTERM');
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  };
  const url = `http://${address}`;
  const answers = () =>
    fetch(`${url}/health`, { signal: AbortSignal.timeout(2_000) }).then(
      (response) => response.ok,
      () => false,
    );
  const untilUp = async () => {
    const isUp = (up: boolean) => up || running.child.exitCode !== null;
    const wait = { what: 'the libSQL server', timeoutMs: READY_TIMEOUT_MS };
    if (!(await until(answers, isUp, wait))) throw new Error(`sqld ended early:\n${output}`);
  };
  const restart = async () => {
    await end('SIGKILL');
    running = begin();
    await untilUp();
  };
  try {
    await untilUp();
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url,
    token: tokenOf(privateKey),
    output: () => output,
    freeze: () => void running.child.kill('SIGSTOP'),
    restart,
    stop,
  };
}

/** A JWT that may read and write. */
function tokenOf(key: KeyObject): string {
  const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const exp = Math.floor(Date.now() / 1_000) + TOKEN_SECONDS;
  const text = `${encoded({ alg: 'EdDSA', typ: 'JWT' })}.${encoded({ a: 'rw', exp })}`;
  return `${text}.${sign(null, Buffer.from(text), key).toString('base64url')}`;
}

function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() =>
        typeof address === 'object' && address !== null
          ? resolve(address.port)
          : reject(new Error('no port')),
      );
    });
  });
}
