import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Script,
  startScriptedProvider,
} from '../../../control-plane/scripted-provider/scripted-provider.ts';
import type { FindTraces } from '../chaos/attempt-trace.ts';
import { ManagedProcess } from '../chaos/managed-process.ts';
import { markedContainers } from '../chaos/marked-containers.ts';
import { markedProcesses } from '../chaos/marked-processes.ts';
import { OverlapWatch } from '../chaos/overlap-watch.ts';
import { RunnerProcess } from '../chaos/runner-process.ts';
import { type GitRepository, makeRepository } from '../e2e/git-repository.ts';
import { processesOf } from '../e2e/processes-of.ts';
import { ServiceClient } from '../e2e/service-client.ts';
import { repositoryRoot } from '../e2e/start-service.ts';
import { until } from '../e2e/until.ts';
import { HostNetwork, type NetworkHost } from './host-network.ts';

const READY_TIMEOUT_MS = 90_000;
const CONNECT_TIMEOUT_MS = 90_000;
const HOSTS = ['north', 'south'] as const;
const planeScript = join(repositoryRoot, 'dist/lib/switchyard.js');

export type RunnerHost = { host: NetworkHost; runner: RunnerProcess };
export type HostsOptions = { sandbox: 'process' | 'docker'; leaseTtlMs: number; script: Script };

/** A control plane on this machine, and runners on hosts of their own that can be cut off. */
export type HostsWorld = {
  repository: GitRepository;
  client: ServiceClient;
  hosts: readonly RunnerHost[];
  /** What runs for attempts, on whichever host. */
  traces: FindTraces;
  runnerIds: ReadonlySet<string>;
  watch: OverlapWatch;
  /** Ends and removes everything, whatever state it is in. */
  close(): Promise<void>;
};

/** Needs root and iproute2 (`hostsPart`). A start that fails cleans up by itself. */
export async function startHostsWorld(options: HostsOptions): Promise<HostsWorld> {
  const closers: (() => unknown)[] = [];
  const close = async () => {
    for (const closer of closers.splice(0).toReversed()) await closer();
  };
  try {
    return { ...(await build(options, (closer) => closers.push(closer))), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function build(
  options: HostsOptions,
  onClose: (closer: () => unknown) => void,
): Promise<Omit<HostsWorld, 'close'>> {
  const folder = await mkdtemp(join(tmpdir(), 'swy-hosts-'));
  onClose(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
  const network = new HostNetwork();
  onClose(() => network.remove());
  const runnerIds = new Set<string>();
  const traces = options.sandbox === 'docker' ? markedContainers : markedProcesses;
  onClose(async () =>
    kill([...(await processesOf(folder)), ...(await markedProcesses(runnerIds))]),
  );
  const apiKey = `hosts-${randomBytes(16).toString('hex')}`;
  const provider = await startScriptedProvider({
    script: options.script,
    apiKey,
    host: network.address,
  });
  onClose(() => provider.close());
  const { plane, url, token } = await startPlane(folder, network.address, {
    SERVICE_RUNNER_LEASE_TTL_MS: String(options.leaseTtlMs),
    SERVICE_CONFIG__engine__model: 'scripted-model',
    SERVICE_CONFIG__engine__provider__baseUrl: provider.url,
    SERVICE_CONFIG__engine__provider__apiKey: apiKey,
    SERVICE_CONFIG__limits__apiPerMinute: '1000000',
    SERVICE_CONFIG__polling__intervalMs: '1000',
  });
  onClose(() => plane.end('SIGKILL'));
  const client = new RemoteClient(url, () => plane.output, token);
  const repository = await makeRepository(folder, 'project', { files: { 'README.md': 'Work\n' } });
  await client.must('POST', '/setup/repo-route', { prefix: 'SY-', url: repository.url });
  const hosts: RunnerHost[] = [];
  for (const name of HOSTS) {
    const host = network.addHost(name);
    const { sandbox } = options;
    const runner = new RunnerProcess({ name, folder, sandbox, slots: 1, through: host.through });
    const join = await client.must<{ token: string }>('POST', '/runners/tokens', {});
    await runner.join(url, join.token);
    runnerIds.add(runner.runnerId);
    runner.start();
    onClose(() => runner.end('SIGKILL'));
    hosts.push({ host, runner });
  }
  const watch = new OverlapWatch(traces, runnerIds);
  watch.start();
  onClose(() => watch.stop());
  await until(
    () => client.runners(),
    (all) => all.filter(({ status }) => status === 'connected').length === HOSTS.length,
    { what: 'connected runners', timeoutMs: CONNECT_TIMEOUT_MS },
  );
  return { repository, client, hosts, traces, runnerIds, watch };
}

/** Listens where only the hosts reach it, so it asks for a token. */
async function startPlane(folder: string, host: string, env: Readonly<Record<string, string>>) {
  const dataDir = join(folder, 'data');
  await mkdir(dataDir, { recursive: true });
  const token = randomBytes(16).toString('hex');
  const serve = ['start', '--no-runner', '--no-open', '--port', '0', '--host', host];
  const plane = new ManagedProcess({
    script: planeScript,
    workingFolder: dataDir,
    env: { ...env, SERVICE_WRITE_TOKEN: token },
    logFile: join(folder, 'control-plane.log'),
    args: [...serve, '--data-dir', dataDir],
  });
  const ready = await plane.lineLike(/^ready (http:\/\/\S+)$/m, READY_TIMEOUT_MS);
  return { plane, token, url: ready[1] ?? '' };
}

/** A client that is not local, and so has to say who it is. */
class RemoteClient extends ServiceClient {
  readonly #token: string;

  constructor(url: string, output: () => string, token: string) {
    super(url, output);
    this.#token = token;
  }

  override send<T = unknown>(path: string, init: RequestInit) {
    const headers = new Headers(init.headers);
    headers.set('authorization', `Bearer ${this.#token}`);
    return super.send<T>(path, { ...init, headers });
  }
}

function kill(processes: readonly { pid: number }[]): void {
  for (const { pid } of processes) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      // It ended by itself in between.
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
    }
  }
}
