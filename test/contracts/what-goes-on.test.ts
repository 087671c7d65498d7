import type { AttemptDetail, StreamEvent } from '@switchyard/shared/api/work/attempt';
import type { HumanRequest } from '@switchyard/shared/api/work/request';
import type { Runner } from '@switchyard/shared/api/runner';
import type { Runtime } from '@switchyard/shared/api/work/state';
import { describe, expect, it } from 'vitest';
import { logLines } from '../../control-plane/cli/output/log-lines.ts';
import { handOverFacts } from '../../control-plane/src/attempts/engine-choices/hand-over-facts.ts';
import { attemptWithIssue } from '../../control-plane/src/attempts/queries.ts';
import { abortIssue } from '../../control-plane/src/issues/actions/abort-issue.ts';
import { callCore } from '../support/core/call-core.ts';
import { type CoreWorld, PERSON } from '../support/core/core-world.ts';
import { useCoreWorlds } from '../support/core/use-core-worlds.ts';
import { DELIVERY, heldItem } from '../support/core/scripted-runner.ts';
import { type RunningScene, sceneWithLease, sceneWithRunner } from './runner-protocol/scene.ts';

const make = useCoreWorlds();
const MINUTE_MS = 60_000;

async function read<T>(world: CoreWorld, path: string): Promise<T> {
  const { status, body } = await callCore(world, 'GET', path);
  expect(status).toBe(200);
  return body;
}

const turn = (state: string) => ({
  kind: 'turn',
  payload: { state, turnId: 'tu-1', number: 1, ...(state === 'ended' && { status: 'completed' }) },
});
const item = (state: string, itemId: string, rest: Record<string, unknown>) => ({
  kind: 'item',
  payload: { state, itemId, item: { status: 'inProgress', ...rest } },
});
const TESTS = { type: 'command', command: 'npm test', exitCode: null };
const LOOK_UP = { type: 'tool_call', tool: 'tracker_api' };
const QUESTION = { id: 'q1', header: 'Colour', question: 'Red?', isSecret: false, options: [] };

const { branch, baseCommit, diffStat } = DELIVERY;
const WORKSPACE = {
  kind: 'workspace',
  payload: {
    key: 'SY-1',
    path: '/w/SY-1',
    durationMs: 5,
    created: true,
    branch,
    baseBranch: 'main',
    baseCommit,
  },
};
const KEPT_WORK = {
  kind: 'checkpoint',
  payload: {
    ordinal: 1,
    trigger: 'delivering',
    threadId: null,
    turnId: null,
    diffStat,
    baseCommit,
    commitSha: 'c'.repeat(40),
    sessionBlob: null,
    diffBlob: null,
    summary: 'Done.',
    tokens: { input: 0, cachedInput: 0, output: 0, reasoning: 0, total: 0 },
  },
};

/** A turn with a command that has ended, one that runs, a call of a tool and a question. */
async function sceneAtWork(): Promise<RunningScene> {
  const scene = await sceneWithLease(make);
  const { runner, lease } = scene;
  await runner.events(lease, turn('started'), item('started', 'i-1', TESTS));
  await runner.events(
    lease,
    item('ended', 'i-1', { ...TESTS, exitCode: 0, status: 'completed' }),
    item('started', 'i-2', TESTS),
    item('started', 'i-3', LOOK_UP),
    { kind: 'request', payload: { requestId: 'r-1', turnId: 'tu-1', questions: [QUESTION] } },
  );
  return scene;
}

type Told = { kind: string; epoch: number; payload: Record<string, unknown> };

/** What the runner and the service tell of turns and items. */
function toldOf(events: readonly StreamEvent[]): Told[] {
  return events
    .filter(({ type }) => type === 'attempt.event')
    .map(({ data }) => data as Told)
    .filter(({ kind }) => kind === 'turn' || kind === 'item');
}

const idOf = ({ payload }: Told) => (payload['itemId'] ?? payload['turnId']) as string;

/** What the events leave open, by lease. */
function openOf(events: readonly StreamEvent[]): string[] {
  const open = new Set<string>();
  for (const told of toldOf(events)) {
    const key = `${told.epoch} ${idOf(told)}`;
    if (told.payload['state'] === 'ended') open.delete(key);
    else open.add(key);
  }
  return [...open];
}

async function eventsOf({ world, lease }: RunningScene): Promise<StreamEvent[]> {
  const path = `/api/v1/attempts/${lease.attemptId}?limit=500`;
  return (await read<AttemptDetail>(world, path)).events;
}

/** Ends of things that were cut off, in order. */
function cutOff(events: readonly StreamEvent[]): string[] {
  return toldOf(events).flatMap((told) => {
    const { kind, payload } = told;
    const { status } = (payload['item'] ?? payload) as { status?: string };
    const isCut = payload['state'] === 'ended' && status === 'interrupted';
    return isCut ? [`${kind} ${idOf(told)}`] : [];
  });
}

const ALL_CUT_OFF = ['turn tu-1', 'item i-2', 'item i-3'];

describe('what an agent has open', () => {
  it('goes on while the attempt does', async () => {
    const scene = await sceneAtWork();
    expect(openOf(await eventsOf(scene))).toEqual(['1 tu-1', '1 i-2', '1 i-3']);
  });

  it('ends with an attempt that is stopped: in the record, before its end, once', async () => {
    const scene = await sceneAtWork();
    const { world, runner, lease, identifier } = scene;
    await abortIssue(world.deps, { identifier, caller: PERSON });
    world.clock.advance(MINUTE_MS);
    await runner.finish(lease, { outcome: 'cancelled', message: 'stopped' });
    const events = await eventsOf(scene);
    expect(openOf(events)).toEqual([]);
    expect(cutOff(events)).toEqual(ALL_CUT_OFF);
    const ends = events.filter((event) => cutOff([event]).length > 0);
    const end = events.find(({ type }) => type === 'attempt.ended');
    expect(ends.map(({ at }) => at)).toEqual(ends.map(() => end?.at));
    expect(ends.every(({ seq }) => seq < (end?.seq ?? 0))).toBe(true);
    expect(new Set(events.map(({ seq }) => seq)).size).toBe(events.length);
    const lines = events.flatMap((event) => logLines(event)).map((line) => line.slice(10));
    expect(lines).toEqual(
      expect.arrayContaining(['npm test: not finished', 'tracker_api: not finished']),
    );
  });

  it.each([
    ['runs out of time', { outcome: 'failed', failureKind: 'budget_exceeded' }],
    ['stalls', { outcome: 'stalled', failureKind: 'turn_stalled' }],
    ['crashes', { outcome: 'failed', failureKind: 'agent_error', reasonCode: 'engine_killed' }],
  ] as const)('ends with an attempt that %s', async (_name, said) => {
    const scene = await sceneAtWork();
    await scene.runner.finish(scene.lease, { ...said, message: 'over' });
    expect(cutOff(await eventsOf(scene))).toEqual(ALL_CUT_OFF);
  });

  it('ends with a lease that is lost, and is begun anew under the next', async () => {
    const scene = await sceneAtWork();
    const { world, runner } = scene;
    world.core.sockets.disconnect(runner.runnerId);
    await world.pass(world.deps.service.leaseTimes.ttlMs + world.deps.service.leaseTimes.graceMs);
    expect(openOf(await eventsOf(scene))).toEqual([]);
    const { requests } = await read<{ requests: HumanRequest[] }>(world, '/api/v1/requests');
    const now = new Date(world.clock.nowMs()).toISOString();
    expect(requests).toMatchObject([{ state: 'expired', expiresAt: now }]);
    const again = await runner.accept(await runner.offerAgain());
    await runner.events(again, turn('started'), item('started', 'i-2', TESTS));
    const { epoch } = again;
    expect(openOf(await eventsOf(scene))).toEqual([`${epoch} tu-1`, `${epoch} i-2`]);
    await runner.finish(again, { outcome: 'failed', failureKind: 'agent_error', message: 'no' });
    const events = await eventsOf(scene);
    expect(openOf(events)).toEqual([]);
    expect(cutOff(events)).toEqual([...ALL_CUT_OFF, 'turn tu-1', 'item i-2']);
  });

  it('ends though it began long before, with much told since', async () => {
    const scene = await sceneAtWork();
    const { runner, lease } = scene;
    for (let frame = 0; frame < 100; frame += 1)
      await runner.events(lease, { kind: 'log', payload: { text: `line ${frame}` } });
    await runner.finish(lease, { outcome: 'failed', failureKind: 'agent_error', message: 'no' });
    expect(cutOff(await eventsOf(scene))).toEqual(ALL_CUT_OFF);
  });

  it('ends with a lease that is lost after its work was kept', async () => {
    const scene = await sceneAtWork();
    const { world, runner, lease } = scene;
    await runner.events(lease, WORKSPACE, KEPT_WORK);
    world.core.sockets.disconnect(runner.runnerId);
    await world.pass(world.deps.service.leaseTimes.ttlMs + world.deps.service.leaseTimes.graceMs);
    const attempt = await read<AttemptDetail>(world, `/api/v1/attempts/${lease.attemptId}`);
    expect(attempt).toMatchObject({ phase: 'delivering' });
    const events = await eventsOf(scene);
    expect(openOf(events)).toEqual([]);
    expect(cutOff(events)).toEqual(ALL_CUT_OFF);
  });

  it('is not told to the next agent as done', async () => {
    const { world, runner, lease } = await sceneAtWork();
    await runner.finish(lease, { outcome: 'failed', failureKind: 'agent_error', message: 'no' });
    const pair = await attemptWithIssue(world.deps.db, lease.attemptId);
    const told = pair === null ? null : await handOverFacts(world.deps.db, pair.attempt, null);
    expect(told?.commands).toEqual([{ command: 'npm test', exitCode: 0 }]);
  });

  it('adds nothing to an attempt that ended all it began', async () => {
    const scene = await sceneWithLease(make);
    const { runner, lease } = scene;
    await runner.events(lease, turn('started'), turn('ended'));
    const before = (await eventsOf(scene)).length;
    await runner.finish(lease, { outcome: 'completed', marker: 'BLOCKED', summary: 'No way.' });
    const after = (await eventsOf(scene)).slice(before);
    expect(after.map(({ type }) => type)).not.toContain('attempt.event');
  });
});

describe('a runner without work', () => {
  const first = async (world: CoreWorld) =>
    (await read<{ runners: Runner[] }>(world, '/api/v1/runners')).runners[0];

  it('is seen with every ping, and needs no lease', async () => {
    const { world, runner } = await sceneWithRunner(make);
    for (let minute = 0; minute < 5; minute += 1) {
      await world.pass(MINUTE_MS);
      world.core.sockets.ping(runner.runnerId, world.clock.nowMs());
    }
    expect(await first(world)).toMatchObject({
      status: 'connected',
      lastSeenAt: new Date(world.clock.nowMs()).toISOString(),
      leaseUntil: null,
    });
  });

  it('has no lease left from the work that it had', async () => {
    const { world, runner, lease } = await sceneWithLease(make);
    await runner.renew([heldItem(lease)]);
    expect((await first(world))?.leaseUntil).not.toBeNull();
    await runner.finish(lease, { outcome: 'completed', marker: 'BLOCKED', summary: 'No way.' });
    await world.pass(10 * MINUTE_MS);
    expect(await first(world)).toMatchObject({ status: 'connected', leaseUntil: null });
  });

  it('is as its row says where who holds the connections does not answer', async () => {
    const { world, runner } = await sceneWithRunner(make);
    const seen = (await first(world))?.lastSeenAt;
    world.core.sockets.connected = () => Promise.reject(new Error('the pool is away'));
    const { runnerId } = runner;
    expect(await first(world)).toMatchObject({ runnerId, status: 'connected', lastSeenAt: seen });
  });

  it('is not connected where its row alone says so: its control plane was killed', async () => {
    const { world, runner } = await sceneWithRunner(make);
    await world.pass(MINUTE_MS);
    const seen = (await first(world))?.lastSeenAt;
    await world.restart();
    expect(await first(world)).toMatchObject({ status: 'offline', lastSeenAt: seen });
    await runner.hello();
    expect(await first(world)).toMatchObject({ status: 'connected' });
  });
});

it('says since when the service runs, which no entity tag leaves out', async () => {
  const world = await make();
  const begun = await read<Runtime>(world, '/api/v1/runtime');
  await world.pass(MINUTE_MS);
  const later = await read<Runtime>(world, '/api/v1/runtime');
  expect(later.started_at).toBe(begun.started_at);
  expect(later.uptime_seconds - begun.uptime_seconds).toBe(60);
  expect(Date.parse(begun.started_at) + later.uptime_seconds * 1_000).toBe(world.clock.nowMs());
});
