import { messageOf } from '@switchyard/shared/message-of';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type ScriptedProvider,
  startScriptedProvider,
} from '../../../control-plane/scripted-provider/scripted-provider.ts';
import { type GitRepository, makeRepository } from '../e2e/git-repository.ts';
import { processesOf } from '../e2e/processes-of.ts';
import { ServiceClient } from '../e2e/service-client.ts';
import { until } from '../e2e/until.ts';
import { ChaosAccounts } from './chaos-accounts.ts';
import { type Driven, type WorkPace, workScript, workTitle } from './chaos-work.ts';
import type { FindTraces } from './attempt-trace.ts';
import { markedContainers } from './marked-containers.ts';
import { markedProcesses } from './marked-processes.ts';
import { OverlapWatch } from './overlap-watch.ts';
import { EdgePlane } from './edge-plane.ts';
import { PlaneProcess } from './plane-process.ts';
import { RunnerLink } from './runner-link.ts';
import { RunnerProcess } from './runner-process.ts';
import { WireRecord } from './wire-record.ts';

const RUNNERS = 2;
const CONNECT_TIMEOUT_MS = 90_000;
const CALL_TIMEOUT_MS = 60_000;

export type ChaosOptions = {
  sandbox: 'process' | 'docker';
  slots: number;
  leaseTtlMs: number;
  pace: WorkPace;
  config?: Readonly<Record<string, string>>;
  /** The control plane runs in workerd, its rows are on a libSQL server. */
  edge?: boolean;
  /** Agent engines that issues take turns with; left out: the default one. */
  engines?: readonly string[];
  /** Their accounts are used up for a while, each once, and the others go on meanwhile. */
  failover?: boolean;
};

export type LinkedRunner = { runner: RunnerProcess; link: RunnerLink };

/** Real parts, each in its own process, and everything that watches them from outside. */
export class ChaosWorld {
  readonly folder: string;
  readonly options: ChaosOptions;
  readonly repository: GitRepository;
  readonly provider: ScriptedProvider;
  readonly accounts: ChaosAccounts;
  readonly plane: PlaneProcess | EdgePlane;
  readonly runners: LinkedRunner[] = [];
  readonly record = new WireRecord();
  readonly driven: Driven[];
  readonly runnerIds = new Set<string>();
  readonly watch: OverlapWatch;
  /** What runs on this host for attempts, seen from outside. */
  readonly traces: FindTraces;
  client: ServiceClient;

  /** Builds and starts everything. A start that fails cleans up by itself. */
  static async start(options: ChaosOptions): Promise<ChaosWorld> {
    const folder = await mkdtemp(join(tmpdir(), 'swy-chaos-'));
    const driven: Driven[] = [];
    const apiKey = `chaos-${randomBytes(16).toString('hex')}`;
    const script = workScript(options.pace, driven);
    const provider = await startScriptedProvider({ script, apiKey });
    const { engines = [], failover = false } = options;
    const accounts = await ChaosAccounts.start(engines, script, { failover });
    const repository = await makeRepository(folder, 'project', {
      files: { 'README.md': 'Work\n' },
    });
    // Every move of a branch leaves a line, whoever made it.
    await repository.git('config', 'core.logAllRefUpdates', 'always');
    const made = { folder, options, provider, accounts, repository, driven, apiKey };
    const world = new ChaosWorld(made);
    try {
      await world.#begin();
      return world;
    } catch (error) {
      await world.close();
      throw error;
    }
  }

  private constructor(made: {
    folder: string;
    options: ChaosOptions;
    provider: ScriptedProvider;
    accounts: ChaosAccounts;
    repository: GitRepository;
    driven: Driven[];
    apiKey: string;
  }) {
    const { folder, options, provider, accounts } = made;
    this.folder = folder;
    this.options = options;
    this.provider = provider;
    this.accounts = accounts;
    this.repository = made.repository;
    this.traces = options.sandbox === 'docker' ? markedContainers : markedProcesses;
    this.watch = new OverlapWatch(this.traces, this.runnerIds);
    this.driven = made.driven;
    const env = {
      ...planeEnvironment(options, accounts),
      SERVICE_CONFIG__engine__provider__baseUrl: provider.url,
      SERVICE_CONFIG__engine__provider__apiKey: made.apiKey,
    };
    this.plane = options.edge === true ? new EdgePlane(env) : new PlaneProcess({ folder, env });
    this.client = new ServiceClient('http://127.0.0.1:1', () => this.plane.output);
  }

  /** Asks until it is answered: the control plane may be away for a while. */
  async ask<T>(question: (client: ServiceClient) => Promise<T>): Promise<T> {
    const look = async (): Promise<{ value: T } | { why: string }> => {
      try {
        return { value: await question(this.client) };
      } catch (error) {
        return { why: messageOf(error) };
      }
    };
    const wait = { what: 'an answer of the control plane', timeoutMs: CALL_TIMEOUT_MS };
    const answer = await until(look, (seen) => 'value' in seen, wait);
    if ('why' in answer) throw new Error(answer.why);
    return answer.value;
  }

  /** Throws when one of the processes ended and nobody ended it. */
  assertNotCrashed(): void {
    this.plane.assertNotCrashed();
    for (const { runner } of this.runners) runner.assertNotCrashed();
  }

  /** Files an issue; the control plane must be up, or it may be filed twice. */
  async createWork(work: number, title = workTitle): Promise<string> {
    const labels = this.accounts.labels(work);
    return (await this.client.createIssue({ title: title(work), labels })).identifier;
  }

  /** Ends and removes everything, whatever state it is in. */
  async close(options: { keepFolder?: boolean } = {}): Promise<void> {
    await this.watch.stop();
    for (const { runner, link } of this.runners) {
      await runner.end('SIGKILL');
      await link.close();
    }
    if (this.plane instanceof EdgePlane) await this.plane.close();
    else await this.plane.end('SIGKILL');
    await this.provider.close();
    await this.accounts.close();
    await killAll(await processesOf(this.folder));
    await killAll(await markedProcesses(this.runnerIds));
    if (options.keepFolder === true) return;
    await rm(this.folder, { recursive: true, force: true, maxRetries: 3 });
  }

  async #begin(): Promise<void> {
    await this.plane.start();
    const token = this.plane instanceof EdgePlane ? this.plane.token : undefined;
    this.client = new ServiceClient(this.plane.url, () => this.plane.output, token);
    const route = { prefix: 'SY-', url: this.repository.url };
    await this.client.must('POST', '/setup/repo-route', route);
    await this.accounts.storeKeys(this.client);
    const { sandbox, slots } = this.options;
    for (let index = 0; index < RUNNERS; index += 1) {
      const link = new RunnerLink(this.record, () => this.plane.url);
      await link.listen();
      const name = `runner-${index}`;
      const runner = new RunnerProcess({ name, folder: this.folder, sandbox, slots });
      this.runners.push({ runner, link });
      const ticket = await this.client.must<{ token: string }>('POST', '/runners/tokens', {});
      await runner.join(link.url, ticket.token);
      this.runnerIds.add(runner.runnerId);
      runner.start();
    }
    this.watch.start();
    const connected = (all: { status: string }[]) =>
      all.filter(({ status }) => status === 'connected').length === RUNNERS;
    const what = 'connected runners';
    await until(() => this.client.runners(), connected, { what, timeoutMs: CONNECT_TIMEOUT_MS });
  }
}

function planeEnvironment(options: ChaosOptions, accounts: ChaosAccounts): Record<string, string> {
  const config = {
    'engine.model': 'scripted-model',
    'engine.provider.name': 'scripted',
    'limits.apiPerMinute': '1000000',
    'polling.intervalMs': '1000',
    'agent.retryBaseMs': '1000',
    ...accounts.settings,
    ...options.config,
  };
  const entries = Object.entries(config).map(([path, value]) => [
    `SERVICE_CONFIG__${path.replaceAll('.', '__')}`,
    value,
  ]);
  return {
    ...Object.fromEntries(entries),
    SERVICE_RUNNER_LEASE_TTL_MS: String(options.leaseTtlMs),
  };
}

async function killAll(processes: readonly { pid: number }[]): Promise<void> {
  for (const { pid } of processes) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      // It ended by itself in between.
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
    }
  }
}
