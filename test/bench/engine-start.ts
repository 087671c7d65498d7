import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeDemoRepository } from '../../control-plane/cli/demo/demo-repository.ts';
import { startScriptedProvider } from '../../control-plane/scripted-provider/scripted-provider.ts';
import { say } from '../../control-plane/scripted-provider/step.ts';
import { ServiceClient } from '../support/e2e/service-client.ts';
import { until } from '../support/e2e/until.ts';
import { type AttemptTimes, attemptTimes } from './attempt-times.ts';
import { timeBareContainer } from './bare-container.ts';
import { median } from './median.ts';
import { startService } from './started-service.ts';

const RUNNER_TIMEOUT_MS = 60_000;
const ISSUE_TIMEOUT_MS = 120_000;
const MODEL = 'scripted-model';

export type EngineStart = AttemptTimes & { bareMs: number; ratio: number };

/**
 * Real attempts on a warm mirror, each followed by a bare `docker run`, so that both see the same
 * load. The first of each warms caches up and is left out.
 */
export async function measureEngineStart(image: string, repeats: number): Promise<EngineStart> {
  const folder = await mkdtemp(join(tmpdir(), 'switchyard-bench-'));
  const apiKey = `bench-${randomBytes(16).toString('hex')}`;
  const script = () => say('Nothing is to be done here.\n\nSWITCHYARD_STATUS: DONE');
  const provider = await startScriptedProvider({ script, apiKey });
  const service = await startService({
    dataDir: folder,
    flags: ['--sandbox', 'docker', '--slots', '1'],
    env: {
      SERVICE_CONFIG__engine__model: MODEL,
      SERVICE_CONFIG__engine__provider__baseUrl: provider.url,
      SERVICE_CONFIG__engine__provider__apiKey: apiKey,
      SERVICE_CONFIG__hooks__beforeRun: 'exit 0',
      SERVICE_CONFIG__limits__apiPerMinute: '100000',
    },
  });
  try {
    const client = await readyClient(service.url, await makeDemoRepository(folder));
    const real: AttemptTimes[] = [];
    const bare: number[] = [];
    for (let repeat = 0; repeat <= repeats; repeat += 1) {
      const times = await timeAttempt(client);
      const bareMs = await timeBareContainer(image);
      if (repeat === 0) continue;
      real.push(times);
      bare.push(bareMs);
    }
    return summary(real, bare);
  } finally {
    await service.stop();
    await provider.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function readyClient(url: string, repository: string): Promise<ServiceClient> {
  const client = new ServiceClient(url, () => '');
  await until(
    () => client.runners(),
    (runners) => runners.some(({ status }) => status === 'connected'),
    { what: 'starting the runner', timeoutMs: RUNNER_TIMEOUT_MS },
  );
  await client.must('POST', '/setup/repo-route', { prefix: 'SY-', url: `file://${repository}` });
  return client;
}

/** One issue from its creation to its end; throws when its attempt did not complete. */
async function timeAttempt(client: ServiceClient): Promise<AttemptTimes> {
  const text = { title: 'Do nothing', description: 'For measuring.', labels: [], priority: 3 };
  const { identifier } = await client.createIssue(text);
  const issue = await client.settled(identifier, ISSUE_TIMEOUT_MS);
  const [attempt] = issue.attempts;
  if (attempt === undefined || issue.status !== 'completed') {
    throw new Error(`${identifier} is ${issue.status}: ${attempt?.errorMessage ?? issue.reason}`);
  }
  if (attempt.startedAt === null) throw new Error(`${identifier} was never leased`);
  const { events } = await client.attempt(attempt.attemptId);
  return attemptTimes(Date.parse(attempt.startedAt), events);
}

function summary(real: readonly AttemptTimes[], bare: readonly number[]): EngineStart {
  const of = (key: keyof AttemptTimes) => median(real.map((times) => times[key]));
  const bareMs = median(bare);
  const startMs = of('startMs');
  return {
    workspaceMs: of('workspaceMs'),
    hookMs: of('hookMs'),
    prepareMs: of('prepareMs'),
    containerMs: of('containerMs'),
    initializeMs: of('initializeMs'),
    startMs,
    wholeMs: of('wholeMs'),
    bareMs,
    ratio: startMs / bareMs,
  };
}
