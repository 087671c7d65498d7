import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CommandError } from '../client/command-error.ts';
import { EXIT } from '../client/exit.ts';
import type { Children } from './create-children.ts';
import type { LibsqlServer } from './find-libsql-server.ts';

/** Includes the time npm may need to fetch the server. */
const READY_TIMEOUT_MS = 180_000;
const POLL_MS = 100;
const PROBE_TIMEOUT_MS = 2_000;
/** Longer than any run; the next start generates another key. */
const TOKEN_SECONDS = 365 * 86_400;

/**
 * Starts a libSQL server on loopback with its data in `folder`. It requires a token, signed with a
 * key that is generated at each start and never stored, since other users of this machine can reach
 * the port too.
 */
export async function startLibsqlServer(input: {
  folder: string;
  program: LibsqlServer;
  children: Children;
}): Promise<{ url: string; token: string }> {
  const { folder, program, children } = input;
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const keyFile = join(folder, 'database-key.pem');
  const rows = join(folder, 'rows');
  mkdirSync(rows, { recursive: true, mode: 0o700 });
  writeFileSync(keyFile, publicKey.export({ type: 'spki', format: 'pem' }));
  const address = `127.0.0.1:${await freePort()}`;
  const { exited, lastLines } = children.start({
    what: 'the libSQL server',
    command: [
      ...program,
      '--db-path',
      rows,
      '--http-listen-addr',
      address,
      '--auth-jwt-key-file',
      keyFile,
      '--no-welcome',
    ],
    cwd: folder,
    // The server needs none of our settings, and its log must not contain them.
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'] },
  });
  let hasEnded = false;
  void exited.then(() => (hasEnded = true));
  const url = `http://${address}`;
  const endMs = performance.now() + READY_TIMEOUT_MS;
  while (!(await answers(url))) {
    if (hasEnded || performance.now() > endMs)
      throw new CommandError(`the libSQL server did not start:\n${lastLines()}`, EXIT.failed);
    await delay(POLL_MS);
  }
  return { url, token: tokenOf(privateKey) };
}

async function answers(url: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS);
    return (await fetch(`${url}/health`, { signal })).ok;
  } catch {
    return false;
  }
}

/** A JWT with read and write access. */
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
      server.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0));
    });
  });
}
