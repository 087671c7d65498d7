import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EngineCapabilities } from '@switchyard/shared/engine/runner-engine';
import { IssueDetail } from '@switchyard/shared/api/work/issue';
import { IssueList } from '@switchyard/shared/api/work/issue-list';
import { State } from '@switchyard/shared/api/work/state';
import { Usage } from '@switchyard/shared/api/work/usage';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { retryIssue } from '../../control-plane/src/issues/actions/retry-issue.ts';
import { measure } from '../../control-plane/src/people/alerts/measure.ts';
import { openDatabase } from '../../control-plane/src/platform/node/database/open-database.ts';
import { type CoreWorld, PERSON } from '../support/core/core-world.ts';
import { MIGRATIONS } from '../support/core/migrations.ts';
import { DELIVERY, type ScriptedRunner, scriptRunner } from '../support/core/scripted-runner.ts';
import { useCoreWorlds } from '../support/core/use-core-worlds.ts';
import {
  type Rows,
  rowsOfFile,
  runOnFile,
  writeFixture,
} from '../support/upgrades/open-fixture.ts';

const LOCAL = { remoteAddress: '127.0.0.1' };
const CAN: EngineCapabilities = {
  wireApis: ['responses'],
  steering: 'joins',
  resume: true,
  questions: true,
  reasoningEffort: true,
  operator: true,
  experimental: false,
  scripted: true,
};
const ON = {
  SERVICE_CONFIG__engine__trial: 'true',
  SERVICE_CONFIG__engine__provider__apiKey: 'sk-1',
};
const make = useCoreWorlds();

async function sceneOf(variables: Record<string, string>) {
  const world = await make(variables);
  const runner = scriptRunner(world, await world.join(), 1);
  await runner.hello({ engines: [{ name: 'codex', version: '1.0', capabilities: CAN }] });
  const identifier = await world.createIssue();
  await world.tick();
  return { world, runner, identifier };
}

async function ask(world: CoreWorld, path: string, body?: unknown): Promise<Response> {
  const response = await world.core.app.request(
    path,
    {
      headers: { Host: 'localhost', 'content-type': 'application/json' },
      ...(body === undefined ? {} : { method: 'PATCH', body: JSON.stringify(body) }),
    },
    LOCAL,
  );
  expect(response.status, path).toBe(200);
  return response;
}

async function read<T extends z.ZodType>(world: CoreWorld, path: string, as: T) {
  return as.parse(await (await ask(world, `/api/v1${path}`)).json());
}

const endTrial = (world: CoreWorld) =>
  ask(world, '/api/v1/config/overlay/engine.trial', { value: false });

/** Whether issue, list and state say that the newest work on it was the script's. */
async function marks(world: CoreWorld, identifier: string): Promise<boolean[]> {
  const state = await read(world, '/state', State);
  const { issues } = await read(world, '/issues', IssueList);
  const all = [...issues, ...state.queued, ...state.running, ...state.completed, ...state.blocked];
  const shown = all.filter((issue) => issue.identifier === identifier);
  return [await read(world, `/${identifier}`, IssueDetail), ...shown].map(({ onTrial }) => onTrial);
}

const runCount = (rows: Rows, identifier: string) =>
  rows['attempts']?.filter((row) => row['identifier'] === identifier).length ?? 0;

async function complete(world: CoreWorld, runner: ScriptedRunner): Promise<void> {
  const lease = await runner.accept(runner.offer());
  await runner.finish(lease, { outcome: 'completed', marker: 'DONE', delivery: DELIVERY });
  await world.tick();
}

describe('the mark of work on trial', () => {
  it('stands in every list from the offer on, and after the trial', async () => {
    const { world, runner, identifier } = await sceneOf(ON);
    expect(await marks(world, identifier)).toEqual([true, true, true]);
    await complete(world, runner);
    await endTrial(world);
    expect(await world.issue(identifier)).toMatchObject({ status: 'completed' });
    expect(await marks(world, identifier)).toEqual([true, true, true]);
    const untouched = await world.createIssue();
    expect(await marks(world, untouched)).not.toContain(true);
  });

  it('goes once a model works on the issue, and not with the wish to', async () => {
    const { world, runner, identifier } = await sceneOf(ON);
    const lease = await runner.accept(runner.offer());
    await runner.finish(lease, { outcome: 'completed', marker: 'BLOCKED', summary: 'No file.' });
    await endTrial(world);
    await retryIssue(world.deps, { identifier, caller: PERSON });
    expect(await marks(world, identifier)).not.toContain(false);
    await world.tick();
    expect(runner.offer().spec.engine).toMatchObject({ model: 'gpt-5.5' });
    expect(await marks(world, identifier)).toEqual([false, false, false]);
  });

  it('follows an offer that nobody took and that is made anew of a model', async () => {
    const { world, runner, identifier } = await sceneOf(ON);
    const offer = runner.offer();
    await endTrial(world);
    await runner.sendOne(runner.acceptMessage(offer));
    await world.tick();
    expect(runner.offer()).toMatchObject({
      attemptId: offer.attemptId,
      spec: { engine: { model: 'gpt-5.5' } },
    });
    expect(await marks(world, identifier)).toEqual([false, false, false]);
  });
});

describe('a database of before the mark', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'switchyard-trial-marks-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));

  it('gets it where the newest attempt of an issue was the script’s', async () => {
    const path = await writeFixture('0008_unpriced_work', folder);
    const attemptsOf = (identifier: string) =>
      `update attempts set model = 'scripted-trial' where identifier = '${identifier}'`;
    const newest = `(select max(number) from attempts where identifier = 'SY-3')`;
    // SY-3 was tried by the script first, and then by a model.
    runOnFile(path, `${attemptsOf('SY-1')}; ${attemptsOf('SY-3')} and number < ${newest};`);
    expect(runCount(await rowsOfFile(path), 'SY-3')).toBeGreaterThan(1);
    (await openDatabase(path, MIGRATIONS)).close();
    const { issues = [] } = await rowsOfFile(path);
    const marked = issues.filter((row) => row['on_trial'] === 1).map((row) => row['identifier']);
    expect(marked).toEqual(['SY-1']);
  });
});

describe('how work on trial ended', () => {
  const RULE = {
    name: 'rate',
    condition: { gauge: 'success_rate' as const },
    threshold: 1,
    windowMs: 3_600_000,
    cooldownMs: 3_600_000,
    severity: 'warning' as const,
  };
  const runs = async (world: CoreWorld) => {
    const text = await (await ask(world, '/metrics')).text();
    return text.split('\n').filter((line) => line.startsWith('service_agent_runs_total{'));
  };

  it.each([
    { outcome: 'completed', marker: 'DONE', delivery: DELIVERY },
    { outcome: 'failed', failureKind: 'agent_error', message: 'no' },
  ] as const)('is in no statistic: $outcome', async (end) => {
    const { world, runner } = await sceneOf(ON);
    await runner.finish(await runner.accept(runner.offer()), end);
    await world.tick();
    const usage = await read(world, '/usage?days=1', Usage);
    expect(usage.days[0]).toMatchObject({ completed: 0, delivered: 0, failed: 0 });
    // What was done is told by its name all the same.
    expect(usage.engines).toMatchObject([{ model: 'scripted-trial', attempts: 1, tokens: 0 }]);
    expect(await runs(world)).toEqual([]);
    expect(await measure(world.deps, RULE as never)).toBe(null);
  });

  it('is in none either where its runner refuses the specification', async () => {
    const { world, runner } = await sceneOf(ON);
    const offer = runner.offer();
    const { attemptId, epoch } = offer;
    await runner.send({ type: 'decline', attemptId, epoch, code: 'SPEC_INVALID' });
    expect(await world.attempt(attemptId)).toMatchObject({ status: 'failed' });
    expect(await runs(world)).toEqual([]);
  });

  it('does not hide how the work of a model ended', async () => {
    const { world, runner } = await sceneOf(ON);
    await complete(world, runner);
    await endTrial(world);
    await world.createIssue();
    await world.tick();
    const lease = await runner.accept(runner.offer());
    await runner.finish(lease, { outcome: 'failed', failureKind: 'agent_error', message: 'no' });
    const usage = await read(world, '/usage?days=1', Usage);
    expect(usage.days[0]).toMatchObject({ completed: 0, failed: 1 });
    expect(await runs(world)).toEqual(['service_agent_runs_total{outcome="failed"} 1']);
    expect(await measure(world.deps, RULE as never)).toBe(0);
  });
});
