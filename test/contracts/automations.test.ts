import { describe, expect, it } from 'vitest';
import type { AutomationRun, AutomationState } from '@switchyard/shared/api/automation';
import type { NotificationList } from '@switchyard/shared/api/notification';
import type { CoreWorld } from '../support/core/core-world.ts';
import { DELIVERY } from '../support/core/scripted-runner.ts';
import { callCore } from '../support/core/call-core.ts';
import { useCoreWorlds } from '../support/core/use-core-worlds.ts';
import { addRunner } from './runner-protocol/scene.ts';

const make = useCoreWorlds();

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const automations = (...list: Record<string, unknown>[]) => ({
  SERVICE_CONFIG__automations: JSON.stringify(list),
});
const nightly = (more: Record<string, unknown> = {}) => ({
  name: 'nightly',
  schedule: '0 4 * * *',
  mode: 'implement',
  title: 'Update dependencies',
  prompt: 'Bring all dependencies up to date.',
  labels: ['chore'],
  ...more,
});

type RunPage = { runs: AutomationRun[]; total: number; nextCursor: string | null };
const runsOf = async (world: CoreWorld, query = ''): Promise<RunPage> =>
  (await callCore(world, 'GET', `/api/v1/automations/runs${query}`)).body;
async function stateOf(world: CoreWorld): Promise<AutomationState[]> {
  const page: { automations: AutomationState[] } = (
    await callCore(world, 'GET', '/api/v1/automations')
  ).body;
  return page.automations;
}
/** The test clock begins at 03:04:05 UTC. */
const untilFour = 56 * MINUTE_MS - 5_000;

describe('a schedule', () => {
  it('makes an issue when it is due, and its run ends with it', async () => {
    const world = await make(automations(nightly()));
    const runner = await addRunner(world);
    await world.tick();
    expect(await stateOf(world)).toMatchObject([
      { name: 'nightly', nextRunAt: '2026-01-02T04:00:00.000Z', running: false, lastRun: null },
    ]);
    await world.pass(untilFour - 1);
    expect((await runsOf(world)).total).toBe(0);
    await world.pass(1);
    await world.tick();
    const identifier = 'SY-1';
    expect(await world.issue(identifier)).toMatchObject({
      title: 'Update dependencies',
      description: 'Bring all dependencies up to date.',
      labels: ['chore'],
    });
    expect(await stateOf(world)).toMatchObject([
      { nextRunAt: '2026-01-03T04:00:00.000Z', running: true, lastRun: { identifier } },
    ]);
    const lease = await runner.accept(runner.offer());
    await runner.finish(lease, { marker: 'DONE', delivery: DELIVERY });
    await world.tick();
    expect((await runsOf(world)).runs).toMatchObject([
      { status: 'completed', trigger: 'schedule', actor: 'schedule', identifier },
    ]);
  });

  it('says when it is due next as soon as it is set, changed or enabled', async () => {
    const world = await make(automations(nightly({ name: 'old' })));
    await world.tick();
    const set = async (...value: Record<string, unknown>[]) => {
      await callCore(world, 'PATCH', '/api/v1/config/overlay/automations', { value });
      // Before the scheduler has looked at it.
      return (await stateOf(world)).map(({ nextRunAt }) => nextRunAt);
    };
    expect(await set(nightly({ name: 'old', schedule: '0 5 * * *' }), nightly())).toEqual([
      '2026-01-02T05:00:00.000Z',
      '2026-01-02T04:00:00.000Z',
    ]);
    await world.tick();
    expect(await set(nightly({ enabled: false }))).toEqual([null]);
    await world.tick();
    expect(await set(nightly())).toEqual(['2026-01-02T04:00:00.000Z']);
  });

  it('keeps to its time zone', async () => {
    const world = await make(automations(nightly({ timeZone: 'Asia/Tokyo' })));
    await world.tick();
    expect(await stateOf(world)).toMatchObject([{ nextRunAt: '2026-01-02T19:00:00.000Z' }]);
  });

  it('starts right after an hour that its clock skips, as it was announced', async () => {
    const zone = { schedule: '30 2,14 * * *', timeZone: 'America/New_York' };
    const world = await make(automations(nightly({ mode: 'refresh', ...zone })));
    await world.tick();
    world.clock.advance(Date.parse('2026-03-08T06:59:00Z') - world.clock.nowMs());
    await world.restart();
    await world.tick();
    const dueAt = '2026-03-08T07:00:00.000Z';
    expect(await stateOf(world)).toMatchObject([{ nextRunAt: dueAt }]);
    await world.pass(MINUTE_MS);
    await world.tick();
    expect((await runsOf(world)).runs[0]).toMatchObject({ trigger: 'schedule', dueAt });
    expect(await stateOf(world)).toMatchObject([{ nextRunAt: '2026-03-08T18:30:00.000Z' }]);
  });

  it('that was missed is made up for once, or not at all, and says so', async () => {
    const world = await make(
      automations(
        nightly({ name: 'patient', schedule: '*/5 * * * *' }),
        nightly({ name: 'strict', schedule: '*/5 * * * *', missedRunPolicy: 'skip' }),
        nightly({ name: 'late', missedRunGraceMs: 10 * MINUTE_MS }),
      ),
    );
    await world.tick();
    world.clock.advance(2 * HOUR_MS);
    await world.restart();
    await world.tick();
    const { runs } = await runsOf(world);
    const of = (name: string) => runs.filter((run) => run.automationName === name);
    expect(of('patient')).toMatchObject([{ trigger: 'missed', status: 'running' }]);
    expect(of('strict')).toMatchObject(
      [{ status: 'skipped', message: /missed by 119 min/ }].map(asWords),
    );
    expect(of('late')).toMatchObject([{ status: 'skipped', message: /too late/ }].map(asWords));
    expect((await stateOf(world))[0]?.nextRunAt).toBe('2026-01-02T05:05:00.000Z');
  });

  it('never begins a second run beside the first', async () => {
    const world = await make(automations(nightly({ schedule: '*/5 * * * *' })));
    await world.tick();
    await world.pass(5 * MINUTE_MS);
    await world.pass(5 * MINUTE_MS);
    const { runs } = await runsOf(world);
    expect(runs.map((run) => run.status)).toEqual(['skipped', 'running']);
    expect(runs[0]?.message).toContain('SY-1');
    expect((await callCore(world, 'POST', '/api/v1/automations/nightly/run')).status).toBe(409);
  });

  it('that is taken out or disabled is not due any more', async () => {
    const world = await make(automations(nightly()));
    await world.tick();
    await world.restart(automations(nightly({ enabled: false })));
    await world.pass(24 * HOUR_MS);
    expect(await stateOf(world)).toMatchObject([{ enabled: false, nextRunAt: null }]);
    expect((await runsOf(world)).total).toBe(0);
  });
});

describe('a run', () => {
  it('can be asked for by hand; its failure is told', async () => {
    const world = await make(automations(nightly({ enabled: false })));
    const runner = await addRunner(world);
    const asked = await callCore(world, 'POST', '/api/v1/automations/nightly/run');
    expect(asked).toMatchObject({ status: 202, body: { trigger: 'manual', status: 'running' } });
    await world.tick();
    await world.tick();
    await runner.finish(await runner.accept(runner.offer()), { marker: 'BLOCKED' });
    await world.tick();
    expect((await runsOf(world)).runs).toMatchObject([{ status: 'failed', identifier: 'SY-1' }]);
    const told: NotificationList = (await callCore(world, 'GET', '/api/v1/notifications')).body;
    expect(told.notifications.map((one) => one.type)).toContain('automation_failed');
    expect((await callCore(world, 'POST', '/api/v1/automations/nobody/run')).status).toBe(404);
  });

  it('that only reports reads, and keeps what the agent said last', async () => {
    const world = await make(
      automations({ name: 'health', schedule: '0 4 * * *', mode: 'report', prompt: 'Is it well?' }),
    );
    const runner = await addRunner(world);
    await callCore(world, 'POST', '/api/v1/automations/health/run');
    await world.tick();
    await world.tick();
    const offer = runner.offer();
    expect(offer.spec).toMatchObject({
      readOnly: true,
      checkpoints: { pushWorkInProgress: false },
      issue: { identifier: 'REPORT-1' },
    });
    expect(offer.spec.prompt).toContain('Is it well?');
    const lease = await runner.accept(offer);
    const permit = await runner.sendOne({
      type: 'call',
      callId: 'c1',
      method: 'push.permit',
      timeoutMs: 1_000,
      attemptId: lease.attemptId,
      epoch: lease.epoch,
      params: {
        branch: 'switchyard/REPORT-1',
        commitSha: 'b'.repeat(40),
        repositoryUrl: offer.spec.repository.url,
      },
    });
    expect(permit).toMatchObject({ value: { allowed: false, reason: 'this attempt only reads' } });
    const summary = '# All is well';
    await runner.finish(lease, { marker: 'DONE', summary, delivery: DELIVERY });
    await world.tick();
    const made = await callCore(world, 'GET', '/api/v1/local/pull-requests');
    expect(made.body).toMatchObject({ total: 0 });
    expect((await runsOf(world)).runs).toMatchObject([
      { status: 'completed', report: '# All is well', identifier: 'REPORT-1' },
    ]);
    await world.tick();
    expect(runner.offers()).toEqual([]);
  });

  it('that refreshes looks at the tracker', async () => {
    const world = await make(automations({ name: 'look', schedule: '0 4 * * *', mode: 'refresh' }));
    await callCore(world, 'POST', '/api/v1/automations/look/run');
    expect((await runsOf(world, '?automation_name=look')).runs).toMatchObject([
      { status: 'completed', mode: 'refresh' },
    ]);
    expect((await runsOf(world, '?automation_name=other')).total).toBe(0);
  });

  it('that was cut off while its issue was made makes no second one', async () => {
    const world = await make(automations(nightly({ enabled: false })));
    await callCore(world, 'POST', '/api/v1/automations/nightly/run');
    const tracker = world.deps.trackers.get('local');
    if (tracker === undefined) throw new Error('no tracker');
    const create = tracker.createIssue;
    let asked = 0;
    tracker.createIssue = async (input) => {
      asked += 1;
      await create(input);
      world.failDatabase('writes');
      throw new Error('the power went');
    };
    await world.tick().catch(() => {});
    world.failDatabase('none');
    tracker.createIssue = create;
    await world.tick();
    expect(asked).toBe(1);
    expect((await runsOf(world)).runs).toMatchObject([{ status: 'failed' }]);
    expect((await runsOf(world)).total).toBe(1);
  });
});

function asWords<T extends { message: RegExp }>(expected: T) {
  return { ...expected, message: expect.stringMatching(expected.message) as string };
}
