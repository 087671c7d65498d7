import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { failingTestProject } from '../../../control-plane/scripted-provider/failing-test-project.ts';
import {
  type Script,
  startScriptedProvider,
} from '../../../control-plane/scripted-provider/scripted-provider.ts';
import { RunnerProcess } from '../chaos/runner-process.ts';
import { makeRepository } from '../e2e/git-repository.ts';
import { ServiceClient } from '../e2e/service-client.ts';
import { until } from '../e2e/until.ts';
import { type Edge, startEdge } from './start-edge.ts';

const CONNECT_TIMEOUT_MS = 60_000;
const KEY = 'edge-provider-key';

/** The control plane in workerd with a real runner beside it, a provider and a repository. */
export type EdgeBench = {
  edge: Edge;
  client: ServiceClient;
  runner: RunnerProcess;
  folder: string;
  connected(): Promise<void>;
  close(): Promise<void>;
};

export async function startEdgeBench(given: {
  script: Script;
  slots?: number;
}): Promise<EdgeBench> {
  const folder = await mkdtemp(join(tmpdir(), 'swy-edge-'));
  const provider = await startScriptedProvider({ script: given.script, apiKey: KEY });
  let edge: Edge | null = null;
  const runner = new RunnerProcess({
    name: 'edge-runner',
    folder,
    sandbox: 'process',
    slots: given.slots ?? 1,
  });
  const close = async () => {
    await runner.end('SIGTERM');
    await edge?.close();
    await provider.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  };
  try {
    const up = await startEdge({
      settings: {
        SERVICE_CONFIG__engine__model: 'scripted-model',
        SERVICE_CONFIG__engine__provider__baseUrl: provider.url,
        SERVICE_CONFIG__engine__provider__apiKey: KEY,
        SERVICE_CONFIG__limits__apiPerMinute: '1000000',
      },
    });
    edge = up;
    const client = new ServiceClient(up.url, () => up.logs().join('\n'), up.writeToken);
    const repository = await makeRepository(folder, 'project', { files: failingTestProject });
    await client.must('POST', '/setup/repo-route', { prefix: 'SY-', url: repository.url });
    const { token } = await client.must<{ token: string }>('POST', '/runners/tokens', {});
    await runner.join(up.url, token);
    runner.start();
    const connected = async () => {
      await until(
        async () => (await client.runners())[0]?.status,
        (status) => status === 'connected',
        { what: 'the runner', timeoutMs: CONNECT_TIMEOUT_MS },
      );
    };
    await connected();
    return { edge: up, client, runner, folder, connected, close };
  } catch (error) {
    await close();
    throw error;
  }
}
