import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { failingTestProject } from '../../../control-plane/scripted-provider/failing-test-project.ts';
import { startScriptedProvider } from '../../../control-plane/scripted-provider/scripted-provider.ts';
import type {
  Script,
  ScriptedProvider,
} from '../../../control-plane/scripted-provider/scripted-provider.ts';
import { type GitRepository, makeRepository } from './git-repository.ts';
import type { ServiceClient } from './service-client.ts';
import {
  type RunningService,
  runnerConnected,
  type ServiceOptions,
  startService,
} from './start-service.ts';

export type BenchOptions = {
  script: Script;
  sandbox?: 'process' | 'docker';
  slots?: number;
  /** As just installed: no provider and no repository are set up. */
  bare?: boolean;
  config?: ServiceOptions['config'];
  /** Further flags of `start`. */
  flags?: readonly string[];
  /** Beside what this process has. */
  env?: ServiceOptions['env'];
  /** Command with `start`, of an installed package; left out: this checkout's. */
  command?: ServiceOptions['command'];
};

/** A running service with everything around it: provider, repository with a route, folder. */
export type Bench = {
  folder: string;
  /** The provider's key: known to the service, never to an agent. */
  apiKey: string;
  provider: ScriptedProvider;
  repository: GitRepository;
  service: RunningService;
  client: ServiceClient;
  /** Starts the service again on the same data and port; the one before must have ended. */
  restart(): Promise<void>;
  /** Ends and removes everything, also what a failed test left. */
  close(): Promise<void>;
};

/** The caller closes the bench, also after a failed test; a start that fails cleans up by itself. */
export async function startBench(options: BenchOptions): Promise<Bench> {
  const folder = await mkdtemp(join(tmpdir(), 'swy-e2e-'));
  const apiKey = `e2e-${randomBytes(16).toString('hex')}`;
  const provider = await startScriptedProvider({ script: options.script, apiKey });
  let service: RunningService | null = null;
  const close = async () => {
    await service?.kill();
    await provider.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  };
  const start = async (port: number, states?: readonly string[]) => {
    const settings = serviceOptions(options, folder, provider.url, apiKey);
    service = await startService({ ...settings, port });
    await runnerConnected(service, states);
    return service;
  };
  try {
    const repository = await makeRepository(folder, 'project', { files: failingTestProject });
    const first = await start(0);
    const { client } = first;
    if (options.bare !== true) {
      await client.must('POST', '/setup/repo-route', { prefix: 'SY-', url: repository.url });
    }
    const bench: Bench = {
      folder,
      apiKey,
      provider,
      repository,
      service: first,
      client,
      async restart() {
        const port = Number(new URL(bench.service.url).port);
        bench.service = await start(port, ['connected', 'draining']);
        bench.client = bench.service.client;
      },
      close,
    };
    return bench;
  } catch (error) {
    await close();
    throw error;
  }
}

function serviceOptions(
  options: BenchOptions,
  folder: string,
  baseUrl: string,
  apiKey: string,
): ServiceOptions {
  return {
    dataDir: join(folder, 'data'),
    ...(options.env === undefined ? {} : { env: options.env }),
    ...(options.command === undefined ? {} : { command: options.command }),
    args: [
      '--sandbox',
      options.sandbox ?? 'process',
      '--slots',
      String(options.slots ?? 2),
      ...(options.flags ?? []),
    ],
    config: {
      ...(options.bare === true
        ? {}
        : {
            'engine.model': 'scripted-model',
            'engine.provider.name': 'scripted',
            'engine.provider.baseUrl': baseUrl,
            'engine.provider.apiKey': apiKey,
          }),
      // Tests poll; the limit for people is no subject here.
      'limits.apiPerMinute': 1_000_000,
      ...options.config,
    },
  };
}
