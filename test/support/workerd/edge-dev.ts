import { type ChildProcess, spawn } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseEnv } from 'node:util';
import { builtDashboard } from '../browser/built-dashboard.ts';
import { processesOf } from '../e2e/processes-of.ts';
import { residentBytes } from '../e2e/resident-bytes.ts';
import { ServiceClient } from '../e2e/service-client.ts';
import { nodeCommand } from '../e2e/start-service.ts';
import { until } from '../e2e/until.ts';

const READY_TIMEOUT_MS = 120_000;
const EXIT_TIMEOUT_MS = 30_000;
const KEPT_OUTPUT_CHARS = 200_000;

/** `switchyard edge dev` as a person starts it: nothing of this process is between its parts. */
export type EdgeDev = {
  url: string;
  client: ServiceClient;
  writeToken: string;
  /** What it made for itself: tokens, the master key. */
  settings: Readonly<NodeJS.Dict<string>>;
  pid: number;
  dataDir: string;
  output(): string;
  /** Memory of every runtime that it started. Linux. */
  runtimeBytes(): Promise<number>;
  /** Signals it and waits for its end; the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
  /** For cleaning up: ends whatever is left. */
  kill(): Promise<void>;
};

export async function startEdgeDev(given: {
  dataDir: string;
  args?: readonly string[];
  env?: Readonly<Record<string, string>>;
}): Promise<EdgeDev> {
  const { dataDir, args = [], env = {} } = given;
  await builtDashboard();
  const [node, ...first] = nodeCommand;
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(SERVICE_|VITEST)/.test(name),
  );
  const command = ['edge', 'dev', '--port', '0', '--no-open', '--data-dir', dataDir, ...args];
  const child = spawn(node, [...first, ...command], {
    env: {
      ...Object.fromEntries(inherited),
      // Repositories of a test lie beside the data folder.
      SWITCHYARD_ALLOW_FOLDERS: dirname(dataDir),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  let output = '';
  const keep = (bytes: Buffer) => {
    output = (output + bytes.toString()).slice(-KEPT_OUTPUT_CHARS);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const kill = async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await exited;
    for (const { pid } of await processesOf(dataDir)) killNow(pid);
  };
  const endWithTests = () => void child.kill('SIGKILL');
  process.once('exit', endWithTests);
  child.once('exit', () => process.off('exit', endWithTests));
  try {
    const look = () => /^ready (http:\/\/\S+)$/m.exec(output)?.[1] ?? null;
    const url = await until(look, (found) => found !== null || hasEnded(child), {
      what: 'the ready line',
      timeoutMs: READY_TIMEOUT_MS,
    });
    if (url === null) throw new Error(`it ended early (${child.exitCode}):\n${output}`);
    const settings = parseEnv(await readFile(join(dataDir, 'edge/edge.env'), 'utf8'));
    const writeToken = settings['SERVICE_WRITE_TOKEN'] ?? '';
    return {
      url,
      writeToken,
      settings,
      dataDir,
      pid: child.pid ?? 0,
      kill,
      client: new ServiceClient(url, () => output, writeToken),
      output: () => output,
      runtimeBytes: () => runtimeBytes(dataDir),
      async stop(signal = 'SIGINT') {
        child.kill(signal);
        const wait = { what: 'its end', timeoutMs: EXIT_TIMEOUT_MS };
        await until(() => hasEnded(child), Boolean, wait);
        return child.exitCode;
      },
    };
  } catch (error) {
    await kill();
    throw new Error(`${String(error)}\n${output}`, { cause: error });
  }
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

async function runtimeBytes(dataDir: string): Promise<number> {
  let sum = 0;
  for (const pid of await runtimesOf(dataDir)) sum += await residentBytes({ pid }).catch(() => 0);
  return sum;
}

/** The processes of workerd that work in a data folder. */
export async function runtimesOf(dataDir: string): Promise<number[]> {
  const found: number[] = [];
  for (const name of await readdir('/proc')) {
    const command = await readFile(`/proc/${name}/comm`, 'utf8').catch(() => '');
    if (command.trim() === 'workerd') found.push(Number(name));
  }
  const ours = new Set((await processesOf(dataDir)).map(({ pid }) => pid));
  return found.filter((pid) => ours.has(pid));
}

function killNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself in between.
  }
}
