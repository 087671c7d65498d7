import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  serviceEnvironment,
  serviceNodeOptions,
} from '../../../control-plane/cli/bootstrap/service-node-options.mjs';
import { processesOf, type FoundProcess } from './processes-of.ts';
import { ServiceClient } from './service-client.ts';
import { until } from './until.ts';

const READY_TIMEOUT_MS = 90_000;
const RUNNER_TIMEOUT_MS = 90_000;
const EXIT_TIMEOUT_MS = 20_000;
const KEPT_OUTPUT_CHARS = 200_000;

export const repositoryRoot = fileURLToPath(new URL('../../../', import.meta.url));
/** The `switchyard` command as this very Node runs it. */
export const nodeCommand: readonly [string, ...string[]] = [
  process.execPath,
  '--disable-warning=ExperimentalWarning',
  ...serviceNodeOptions(),
  join(repositoryRoot, 'dist/lib/switchyard.js'),
];

export type ServiceOptions = {
  /** Also the working folder, so that no base file of this checkout is read. */
  dataDir: string;
  /** Flags beside `--port … --no-open --data-dir …`. */
  args?: readonly string[];
  /** By dotted path, for example `agent.maxTurns`. */
  config?: Readonly<Record<string, string | number>>;
  /** What stands before the flags; left out: Node and `switchyard start`. */
  command?: readonly [string, ...string[]];
  env?: Readonly<Record<string, string>>;
  /** 0 or left out: any. */
  port?: number;
  readyTimeoutMs?: number;
};

export type StoppedService = { code: number | null; signal: NodeJS.Signals | null; ms: number };

export type RunningService = {
  url: string;
  /** Of the process that was started. */
  pid: number;
  dataDir: string;
  client: ServiceClient;
  /** Everything it wrote so far, standard output and error together. */
  output(): string;
  /** Signals the process that was started and waits for its end. */
  stop(signal?: NodeJS.Signals): Promise<StoppedService>;
  /** Processes that belong to this service's data folder. */
  processes(): Promise<FoundProcess[]>;
  /** For cleaning up: kills whatever is left, whatever state it is in. Never throws. */
  kill(): Promise<void>;
};

/** Starts the real command line and waits for its `ready` line. Kills it when that does not come. */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  await mkdir(options.dataDir, { recursive: true });
  const child = launch(options);
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  let output = '';
  const keep = (bytes: Buffer) => {
    output = (output + bytes.toString()).slice(-KEPT_OUTPUT_CHARS);
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  const service = {
    pid: child.pid ?? 0,
    dataDir: options.dataDir,
    output: () => output,
    stop: (signal: NodeJS.Signals = 'SIGTERM') => stop(child, exited, signal, () => output),
    processes: () => processesOf(options.dataDir),
    kill: () => kill(child, exited, options.dataDir),
  };
  try {
    const url = await readyUrl(child, () => output, options.readyTimeoutMs ?? READY_TIMEOUT_MS);
    return { ...service, url, client: new ServiceClient(url, () => output) };
  } catch (error) {
    await service.kill();
    throw error;
  }
}

/** Waits until the service's own runner is there, or one that ends what it began under the former. */
export async function runnerConnected(
  service: RunningService,
  states: readonly string[] = ['connected'],
): Promise<void> {
  await until(
    () => service.client.runners(),
    (runners) => runners.some(({ status }) => states.includes(status)),
    { what: 'a connected runner', timeoutMs: RUNNER_TIMEOUT_MS },
  ).catch((error: unknown) => {
    throw new Error(`no runner connected:\n${service.output()}`, { cause: error });
  });
}

function launch(options: ServiceOptions): ChildProcess {
  const [command, ...first] = options.command ?? nodeCommand;
  const { dataDir, port = 0 } = options;
  const own = ['--port', String(port), '--no-open', '--data-dir', dataDir];
  const start = options.command === undefined ? ['start'] : [];
  const config = Object.entries(options.config ?? {}).map(([path, value]) => [
    `SERVICE_CONFIG__${path.replaceAll('.', '__')}`,
    String(value),
  ]);
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(SERVICE_|VITEST)/.test(name),
  );
  const child = spawn(command, [...first, ...start, ...own, ...(options.args ?? [])], {
    cwd: options.dataDir,
    env: {
      ...serviceEnvironment,
      ...Object.fromEntries([...inherited, ...config]),
      // Repositories of a test lie beside the data folder.
      SWITCHYARD_ALLOW_FOLDERS: dirname(dataDir),
      ...options.env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  endWithTests(child);
  return child;
}

/** A test run that is cut off runs no clean-up: the service must still not outlive it. */
function endWithTests(child: ChildProcess): void {
  const end = () => void child.kill('SIGTERM');
  process.once('exit', end);
  process.once('disconnect', end);
  child.once('exit', () => {
    process.off('exit', end);
    process.off('disconnect', end);
  });
}

async function readyUrl(
  child: ChildProcess,
  output: () => string,
  timeoutMs: number,
): Promise<string> {
  const look = () => /^ready (http:\/\/\S+)$/m.exec(output())?.[1] ?? null;
  const ended = () => child.exitCode !== null || child.signalCode !== null;
  const options = { what: 'the ready line', timeoutMs };
  const url = await until(look, (found) => found !== null || ended(), options).catch(
    (error: unknown) => {
      throw new Error(`the service is not ready:\n${output()}`, { cause: error });
    },
  );
  if (url === null) throw new Error(`the service ended early (${child.exitCode}):\n${output()}`);
  return url;
}

async function stop(
  child: ChildProcess,
  exited: Promise<void>,
  signal: NodeJS.Signals,
  output: () => string,
): Promise<StoppedService> {
  const startedMs = performance.now();
  child.kill(signal);
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    const error = () => reject(new Error(`the service did not end:\n${output()}`));
    timer = setTimeout(error, EXIT_TIMEOUT_MS);
  });
  await Promise.race([exited, limit]).finally(() => clearTimeout(timer));
  const { exitCode: code, signalCode } = child;
  return { code, signal: signalCode, ms: performance.now() - startedMs };
}

async function kill(child: ChildProcess, exited: Promise<void>, dataDir: string): Promise<void> {
  if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
    child.kill('SIGKILL');
    await exited;
  }
  for (const { pid } of await processesOf(dataDir)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      // It ended by itself in between.
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
    }
  }
}
