import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { EngineContainerSpec } from '../container/container-engine.ts';
import { FakeContainers } from './testing/fake-containers.ts';
import { limits, useHost } from './testing/use-host.ts';

const rig = useHost();
const { container, edit, finished, hang, offer, stored, turn, until } = rig;

describe('a restart of the runner process', { timeout: 60_000 }, () => {
  it('goes on with a running attempt to its delivery', async () => {
    rig.world.plane.sealedSecrets = JSON.stringify({ providerApiKey: 'sk' });
    hang();
    offer();
    const one = await turn();
    one.say({ kind: 'notice', level: 'info', message: 'before' });
    await until('the notice', () => stored('notice').length === 1);
    await rig.restart();
    expect(rig.world.plane.last('hello')?.held).toMatchObject([
      { attemptId: 'att_00000001', phase: 'running' },
    ]);
    const adopted = await until('the adoption', () => rig.world.engine.sessions[1]);
    expect(adopted.open).toMatchObject({ adopted: true, threadId: 'thread-1' });
    await edit();
    adopted.push({
      kind: 'item_ended',
      itemId: 'm',
      item: { type: 'message', text: 'SWITCHYARD_STATUS: DONE' },
    });
    adopted.push({ kind: 'turn_ended', turnId: 'turn1', status: 'completed' });
    const finish = await finished();
    expect(finish).toMatchObject({ outcome: 'completed', marker: 'DONE' });
    expect(finish.delivery?.diffStat.files).toBe(1);
    expect(rig.world.containers.started).toHaveLength(1);
    expect(rig.world.adopted).toEqual([
      { attemptId: 'att_00000001', apiKey: 'sk', tokenHash: 'hash' },
    ]);
  });

  it('leaves a question of the engine open for as long as people have, and no longer', async () => {
    hang();
    offer({ limits: { ...limits, turnStallMs: 60_000, requestMs: 300_000 } });
    const one = await turn();
    one.say({ kind: 'request', requestId: 'r1', turnId: 'turn1', questions: [] });
    await until('the request', () => stored('request').length === 1);
    await rig.world.clock.advance(50_000);
    await rig.restart();
    const adopted = await until('the adoption', () => rig.world.engine.sessions[1]);
    await rig.world.clock.advance(200_000);
    expect(rig.world.plane.finished.size).toBe(0);
    expect(adopted.answers).toEqual([]);
    await rig.world.clock.advance(60_000);
    expect(adopted.answers).toEqual([{ requestId: 'r1', answers: {} }]);
  });

  it('gives threads that begin after it the tools that the first one had', async () => {
    const { engine } = rig.world;
    engine.tools = 'mcp';
    engine.capabilities = { ...engine.capabilities, questions: false };
    hang();
    offer();
    await turn();
    await rig.restart();
    const adopted = await until('the adoption', () => engine.sessions[1]);
    const given = engine.sessions[0]?.open.toolServer;
    expect(given?.headers).toEqual({ authorization: 'Bearer proxy-token' });
    expect(adopted.open.toolServer).toEqual(given);
  });

  it('leaves no home behind when the tools cannot be served again', async () => {
    const { engine, fixture } = rig.world;
    engine.tools = 'mcp';
    engine.capabilities = { ...engine.capabilities, questions: false };
    hang();
    offer();
    await turn();
    const data = join(fixture.folder, 'data');
    await rig.runner.kill();
    for (const name of ['tools.db', 'tools.db-wal', 'tools.db-shm'])
      await rm(join(data, name), { force: true });
    await mkdir(join(data, 'tools.db'));
    await rig.start();
    expect(await finished()).toMatchObject({ outcome: 'failed', failureKind: 'agent_error' });
    expect(await readdir(join(data, 'homes'))).toEqual([]);
    expect(await readdir(join(data, 'sessions'))).toEqual(['SY-1']);
  });

  it('leaves out of its inventory what died while nobody watched', async () => {
    hang();
    offer();
    await turn();
    await rig.runner.kill();
    (await container()).removed = true;
    await rig.start();
    expect(rig.world.plane.last('hello')?.held).toEqual([]);
    expect(rig.world.revoked).toEqual(['att_00000001']);
  });

  it('ends what is past its deadline before it says hello, and only that', async () => {
    hang();
    offer();
    await turn();
    await rig.runner.kill();
    await rig.world.clock.advance(100_000);
    await rig.start();
    await until('the end', () => rig.world.containers.started[0]?.removed);
    expect(rig.world.engine.sessions).toHaveLength(1);
  });

  it('says finish again that was not confirmed', async () => {
    rig.world.plane.mischief.noFinished = true;
    offer();
    await finished();
    rig.world.plane.mischief.noFinished = false;
    await rig.restart();
    await until('the lease to go', () => rig.runner.host.held().length === 0);
    expect(rig.world.plane.all('finish').length).toBeGreaterThan(1);
  });

  it('ends what a former process left in an isolation that comes late, and nothing of its own', async () => {
    rig.world.engine.script = () => undefined;
    offer();
    const own = await until('a container', () => rig.world.containers.started[0]);
    const docker = new FakeContainers();
    const spec = (runnerId: string, attemptId: string) =>
      ({ owner: { runnerId, attemptId, epoch: 1, bootId: 'boot' } }) as EngineContainerSpec;
    await docker.start(spec('run_1', 'att_9'));
    const { attemptId } = own.owner;
    await docker.start(spec('run_1', attemptId));
    rig.runner.host.isolationCame(docker);
    await until('the end of what was left', () => docker.started[0]?.removed);
    expect([docker.started[1]?.removed, own.removed]).toEqual([false, false]);
    await until('an inventory without it', () => rig.runner.host.held().length === 1);
    await docker.started[1]?.remove();
  });

  it('ends what it left there under a name that it had before', async () => {
    await rig.restart({ formerRunnerIds: ['run_0'] });
    const docker = new FakeContainers();
    const owner = { runnerId: 'run_0', attemptId: 'att_9', epoch: 1, bootId: 'boot' };
    await docker.start({ owner } as EngineContainerSpec);
    rig.runner.host.isolationCame(docker);
    const ended = await until('the end of what was left', () => docker.started[0]?.removed);
    expect(ended).toBe(true);
  });

  it('ends a container that the journal does not know, after the welcome', async () => {
    const owner = { runnerId: 'run_1', attemptId: 'att_9', epoch: 1, bootId: 'boot' };
    await rig.world.containers.start({ owner } as Parameters<typeof rig.world.containers.start>[0]);
    rig.world.plane.verdictFor = (item) => ({
      attemptId: item.attemptId,
      epoch: item.epoch,
      verdict: 'stop',
      code: 'UNKNOWN_ATTEMPT',
    });
    await rig.restart();
    expect(rig.world.plane.last('hello')?.held).toMatchObject([
      { attemptId: 'att_9', phase: 'dying' },
    ]);
    await until('the end', () => rig.world.containers.started[0]?.removed);
  });
});
