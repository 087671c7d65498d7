import type { EngineCapabilities } from '@switchyard/shared/engine/runner-engine';
import { EngineList } from '@switchyard/shared/api/engines';
import { AttemptDetail } from '@switchyard/shared/api/work/attempt';
import { RunnerList } from '@switchyard/shared/api/runner';
import { eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { attempts } from '../../control-plane/src/db/schema/work/attempts.ts';
import type { CoreWorld } from '../support/core/core-world.ts';
import { useCoreWorlds } from '../support/core/use-core-worlds.ts';
import { sceneWithLease, sceneWithRunner } from './runner-protocol/scene.ts';

const LOCAL = { remoteAddress: '127.0.0.1' };
const CAN: EngineCapabilities = {
  wireApis: ['responses', 'chat'],
  steering: 'queued',
  resume: true,
  questions: false,
  reasoningEffort: true,
  operator: false,
  experimental: true,
};
const make = useCoreWorlds();

async function ask(world: CoreWorld, path: string, method = 'GET') {
  const init = { method, headers: { Host: 'localhost' } };
  const response = await world.core.app.request(`/api/v1${path}`, init, LOCAL);
  return { status: response.status, body: await response.json() };
}

const twoEngines = [
  { name: 'codex', version: '1.0.0', capabilities: { ...CAN, operator: true } },
  { name: 'other', version: '2.0.0', capabilities: CAN },
];

describe('agent engines', () => {
  it('are listed with what the runner said of them, and shown with the runner', async () => {
    const { world, runner } = await sceneWithRunner(make);
    await runner.hello({ engines: twoEngines });
    world.core.sockets.connect(runner.runnerId);
    const { engines, choices } = EngineList.parse((await ask(world, '/engines')).body);
    expect(choices).toMatchObject([
      { name: 'default', engine: 'codex', model: 'gpt-5.5', account: null, isDefault: true },
    ]);
    expect(engines).toMatchObject([
      { name: 'codex', configured: true, isDefault: true, models: ['gpt-5.5'], advice: null },
      { name: 'other', configured: false, experimental: true, capabilities: CAN, models: [] },
    ]);
    expect(engines[1]?.runners).toMatchObject([
      { runnerId: runner.runnerId, version: '2.0.0', connected: true },
    ]);
    const { runners } = RunnerList.parse((await ask(world, '/runners')).body);
    expect(runners[0]?.engines).toEqual([
      { name: 'codex', version: '1.0.0', experimental: true },
      { name: 'other', version: '2.0.0', experimental: true },
    ]);
  });

  it('are those of the configuration too, with what to do where none has them', async () => {
    const choices = [{ name: 'second/big', engine: 'second', model: 'big-1' }];
    const world = await make({
      SERVICE_CONFIG__engine__choices: JSON.stringify(choices),
      SERVICE_CONFIG__engine__failover: JSON.stringify(['second/big', 'default']),
    });
    const list = EngineList.parse((await ask(world, '/engines')).body);
    expect(list.choices.map(({ name }) => name)).toEqual(['second/big', 'default']);
    expect(list.engines).toMatchObject([
      { name: 'second', isDefault: true, models: ['big-1'], runners: [] },
      { name: 'codex', isDefault: false, configured: true },
    ]);
    expect(list.engines[0]?.advice).toMatch(/No runner is connected/);
  });

  it('of a runner that does not tell are the default one', async () => {
    const { world, runner } = await sceneWithRunner(make);
    await runner.hello({ engineVersion: '0.9' });
    const { runners } = RunnerList.parse((await ask(world, '/runners')).body);
    expect(runners[0]?.engines).toMatchObject([{ name: 'codex', version: '0.9' }]);
    const { engines } = EngineList.parse((await ask(world, '/engines')).body);
    expect(engines).toMatchObject([
      { name: 'codex', capabilities: null, abilities: [], runners: [{ version: '0.9' }] },
    ]);
  });

  it('that answer no operators, and those that nobody has, are refused by name', async () => {
    const { world, runner } = await sceneWithRunner(make);
    await runner.hello({ engines: twoEngines });
    world.core.sockets.connect(runner.runnerId);
    const error = (pattern: RegExp) => expect.stringMatching(pattern) as string;
    for (const path of ['/engine/account', '/engine/threads', '/models', '/engine/capabilities']) {
      expect(await ask(world, `${path}?engine=other`), path).toMatchObject({
        status: 501,
        body: { error: error(/the agent engine other /), code: 'engine_unsupported' },
      });
    }
    const missing = { status: 503, body: { error: error(/agent engine third/) } };
    expect(await ask(world, '/engine/mcp?engine=third')).toMatchObject(missing);
    expect(await ask(world, '/engine/mcp/reload?engine=other', 'POST')).toMatchObject({
      status: 501,
    });
    expect((await ask(world, '/engine/account?engine=No%20name')).status).toBe(400);
  });

  it('stand on every attempt, with version and account and what it continues', async () => {
    const { world, lease } = await sceneWithLease(make);
    const read = async () =>
      AttemptDetail.parse((await ask(world, `/attempts/${lease.attemptId}`)).body);
    const known = { failedOverFrom: null, account: null };
    expect(await read()).toMatchObject({ engine: 'codex', ...known });
    const stored = {
      engine: 'other',
      engine_version: '2',
      account: 'b',
      failed_over_from: 'att_0',
    };
    const one = eq(attempts.attempt_id, lease.attemptId);
    await world.deps.db.update(attempts).set(stored).where(one);
    const shown = { engine: 'other', engineVersion: '2', account: 'b', failedOverFrom: 'att_0' };
    expect(await read()).toMatchObject(shown);
  });
});
