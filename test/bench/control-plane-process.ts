import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { readLocalSecret } from '../../control-plane/src/platform/node/secrets/local-secret.ts';

const READY_TIMEOUT_MS = 60_000;
const ANSWER_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 20_000;

/** What a control plane's process has used since its start. */
const ControlPlaneUse = z.object({
  cpuMs: z.number(),
  residentBytes: z.number(),
  rowsChanged: z.number(),
});
export type ControlPlaneUse = z.infer<typeof ControlPlaneUse>;
const Ready = z.object({ url: z.string() });

export type ControlPlaneProcess = {
  url: string;
  /** The folder of its database, for what is to be measured on the same file system. */
  dataDir: string;
  use(): Promise<ControlPlaneUse>;
  /** An API request that must succeed, from this machine where no bearer is given. Throws with the answer otherwise. */
  post<T>(path: string, body: unknown, bearer?: string): Promise<T>;
  stop(): Promise<void>;
};

/**
 * A control plane without a runner, in a process of its own and a folder that `prepare` may fill.
 * `SWITCHYARD_BENCH_NODE` is given to its Node, for example `--cpu-prof --cpu-prof-dir=/tmp/profiles`.
 */
export async function startControlPlaneProcess(
  config: Readonly<Record<string, string>> = {},
  prepare?: (dataDir: string) => Promise<void>,
): Promise<ControlPlaneProcess> {
  const dataDir = await mkdtemp(join(tmpdir(), 'switchyard-bench-'));
  await prepare?.(dataDir);
  const nodeFlags = (process.env['SWITCHYARD_BENCH_NODE'] ?? '').split(' ').filter(Boolean);
  const child = fork(join(import.meta.dirname, 'control-plane-host.ts'), [dataDir], {
    cwd: dataDir,
    env: { ...plainEnvironment(), ...settings(config) },
    execArgv: ['--disable-warning=ExperimentalWarning', ...nodeFlags],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const stop = async () => {
    await end(child);
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    const { url } = Ready.parse(await answer(child, READY_TIMEOUT_MS));
    return {
      url,
      dataDir,
      async use() {
        child.send('use');
        return ControlPlaneUse.parse(await answer(child, ANSWER_TIMEOUT_MS));
      },
      post: (path, body, bearer) =>
        post(`${url}/api/v1${path}`, body, bearer ?? readLocalSecret(dataDir) ?? undefined),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The caller's own settings must not change what is measured. */
function plainEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('SERVICE_')),
  );
}

/** What lets issues be offered, and no limit in the way of the measurement. */
function settings(config: Readonly<Record<string, string>>): Record<string, string> {
  const route = { prefix: 'SY', url: 'file:///srv/repositories/bench', default_branch: 'main' };
  return {
    SERVICE_CONFIG__engine__provider__baseUrl: 'http://127.0.0.1:9/v1',
    SERVICE_CONFIG__engine__provider__apiKey: 'bench-key',
    SERVICE_CONFIG__repos: JSON.stringify([route]),
    SERVICE_CONFIG__limits__apiPerMinute: '1000000',
    SERVICE_CONFIG__agent__maxConcurrentAgents: '1000',
    ...config,
  };
}

/** One question at a time: answers come in order. */
async function answer(child: ChildProcess, timeoutMs: number): Promise<unknown> {
  const heard = new AbortController();
  const signal = AbortSignal.any([heard.signal, AbortSignal.timeout(timeoutMs)]);
  const gone = once(child, 'exit', { signal }).then(() => {
    throw new Error('the control plane ended');
  });
  // It stays without a listener once the answer is there.
  gone.catch(() => undefined);
  try {
    const [message] = (await Promise.race([once(child, 'message', { signal }), gone])) as unknown[];
    return message;
  } finally {
    heard.abort();
  }
}

async function post<T>(url: string, body: unknown, bearer?: string): Promise<T> {
  const headers = new Headers({ 'content-type': 'application/json' });
  if (bearer !== undefined) headers.set('authorization', `Bearer ${bearer}`);
  const response = await fetch(url, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`POST ${url}: ${response.status} ${text.slice(0, 300)}`);
  return JSON.parse(text) as T;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  if (child.connected) child.disconnect();
  const limit = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  await ended;
  clearTimeout(limit);
}
