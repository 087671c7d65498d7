import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { benchNode } from './bench-node.ts';

const root = join(import.meta.dirname, '../..');
const READY_TIMEOUT_MS = 60_000;
/** `switchyard start` promises to end within 10 s of a signal. */
const STOP_TIMEOUT_MS = 12_000;
const PS_TIMEOUT_MS = 5_000;
const STDERR_KEPT_LINES = 20;

export type StartedService = {
  url: string;
  /** From the start of the process to its `ready` line. */
  readyMs: number;
  /** Resident memory of the control plane's own process now, bytes. */
  residentBytes(): Promise<number>;
  /** The same of the runner beside it; null without one. */
  runnerResidentBytes(): Promise<number | null>;
  stop(): Promise<void>;
};

/** `switchyard start` as it is installed, on any free port. Rejects when it does not get ready. */
export async function startService(options: {
  dataDir: string;
  flags: readonly string[];
  env?: Readonly<Record<string, string>>;
}): Promise<StartedService> {
  const command = join(root, 'dist/bin/switchyard.mjs');
  const start = ['start', '--port', '0', '--no-open', '--data-dir', options.dataDir];
  const startedAtMs = performance.now();
  const child = spawn(benchNode, [command, ...start, ...options.flags], {
    cwd: options.dataDir,
    env: {
      ...inheritedEnvironment(),
      // Repositories of a measurement lie in the same folder.
      SWITCHYARD_ALLOW_FOLDERS: options.dataDir,
      ...options.env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const url = await readyUrl(child).catch(async (error: unknown) => {
    await end(child);
    throw error;
  });
  return {
    url,
    readyMs: performance.now() - startedAtMs,
    residentBytes: async () => residentBytes(await serviceOf(child)),
    runnerResidentBytes: async () => {
      const [runner] = await childrenOf(await serviceOf(child));
      return runner === undefined ? null : residentBytes(runner);
    },
    stop: () => end(child),
  };
}

/** The caller's own settings must not change what is measured. */
function inheritedEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('SERVICE_')),
  );
}

function readyUrl(child: ChildProcess): Promise<string> {
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error('the service has no output');
  const said: string[] = [];
  createInterface({ input: stderr }).on('line', (line) => {
    said.push(line);
    if (said.length > STDERR_KEPT_LINES) said.shift();
  });
  return new Promise((resolve, reject) => {
    const fail = (why: string) => reject(new Error(`${why}\n${said.join('\n')}`));
    const limit = setTimeout(() => fail('the service was not ready in time'), READY_TIMEOUT_MS);
    child.once('error', reject);
    child.once('exit', () => fail('the service ended before it was ready'));
    createInterface({ input: stdout }).on('line', (line) => {
      const url = /^ready (http:\S+)$/.exec(line)?.[1];
      if (url === undefined) return;
      clearTimeout(limit);
      resolve(url);
    });
  });
}

/** The command starts the service as a process of its own. */
async function serviceOf(command: ChildProcess): Promise<number> {
  const [service] = await childrenOf(command.pid ?? 0);
  if (service === undefined) throw new Error('the service has ended');
  return service;
}

async function childrenOf(pid: number): Promise<number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'pid=', '--ppid', String(pid)], {
    timeout: PS_TIMEOUT_MS,
  }).catch(() => ({ stdout: '' }));
  return stdout.trim().split(/\s+/).filter(Boolean).map(Number);
}

async function residentBytes(pid: number): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)], {
    timeout: PS_TIMEOUT_MS,
  });
  return Number(stdout.trim()) * 1024;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGTERM');
  const limit = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  await ended;
  clearTimeout(limit);
}
