import type { RunnerMessage } from '@switchyard/shared/protocol/messages';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type CoreWorld, createCoreWorld } from '../support/core/core-world.ts';
import { countRoundTrips, type RoundTrips } from '../support/core/counting-database.ts';
import { openFramePeer } from '../support/core/runner-peers.ts';
import { type ScriptedRunner, scriptRunner } from '../support/core/scripted-runner.ts';

// Over a network each way to the database costs as much as everything else a frame does.

let world: CoreWorld;
let runner: ScriptedRunner;
let taken: () => RoundTrips;
beforeEach(async () => {
  world = await createCoreWorld(openFramePeer);
  const joined = await world.join();
  await world.createIssue();
  // What the configuration store reads, at most once a second, is its own.
  const counting = countRoundTrips(world.deps.db);
  world.deps.db = counting.db;
  taken = counting.taken;
  runner = scriptRunner(world, joined);
});
afterEach(() => world.close());

const totals = { input: 1, cachedInput: 0, output: 1, reasoning: 0, total: 2 };

async function expectFew<T>(what: string, work: () => Promise<T>, reads = 1): Promise<T> {
  taken();
  const result = await work();
  const { reads: made, writes } = taken();
  const isCounted = made + writes > 0;
  expect({ what, isCounted, reads: made <= reads, writes: writes <= 1 }).toEqual({
    what,
    isCounted: true,
    reads: true,
    writes: true,
  });
  return result;
}

it('goes to the database for a frame at most once to read and once to write', async () => {
  await expectFew('hello', () => runner.hello());
  await world.tick();
  const offer = runner.offer();
  const lease = await expectFew('accept', () => runner.accept(offer));
  const log = { kind: 'log', payload: { source: 'engine', text: 'a' } };
  await expectFew('events', () => runner.events(lease, log));
  await expectFew('events after events', () => runner.events(lease, log), 0);
  const thread = { threadId: 'th', resumed: false, engineVersion: '1' };
  await expectFew(
    'usage',
    () =>
      runner.events(
        lease,
        { kind: 'thread', payload: thread },
        { kind: 'usage', payload: { totals } },
      ),
    0,
  );
  const questions = [{ id: 'q', header: 'h', question: 'Which?', options: [], isSecret: false }];
  const request = { requestId: 'r', turnId: 't', questions };
  await expectFew('request', () => runner.events(lease, { kind: 'request', payload: request }));
  const { attemptId, epoch } = lease;
  const held = {
    attemptId,
    epoch,
    phase: 'running' as const,
    containerId: null,
    spooledSeq: 0,
    ackedSeq: 0,
  };
  await expectFew('renew', () => runner.renew([held]), 0);
  const permit: RunnerMessage = {
    type: 'call',
    callId: 'c',
    attemptId,
    epoch,
    method: 'push.permit',
    params: { branch: 'switchyard/x', commitSha: 'a'.repeat(40), repositoryUrl: 'x' },
    timeoutMs: 1_000,
  };
  await expectFew('push.permit', () => runner.sendOne(permit));
  await expectFew('hello again', () => runner.hello({ held: [held] }));
  await expectFew('drain', () => runner.send({ type: 'drain', deadlineMs: 1 }), 0);
  const finish = () => runner.finish(lease, { outcome: 'failed', failureKind: 'agent_error' });
  expect(await expectFew('finish', finish)).toMatchObject({ type: 'finished' });
  await expectFew('a lost lease', () => runner.events(lease, log), 2);
});

it('gives work back with one read and one write', async () => {
  await runner.hello();
  await world.tick();
  const { attemptId, epoch } = runner.offer();
  const decline = { type: 'decline', attemptId, epoch, code: 'NO_SLOT' } as const;
  await expectFew('decline', () => runner.send(decline));
  await world.pass(2_000);
  const lease = await runner.accept(runner.offer());
  expect(lease.epoch).toBeGreaterThan(epoch);
  await expectFew('released', () =>
    runner.send({
      type: 'released',
      attemptId: lease.attemptId,
      epoch: lease.epoch,
      why: 'it was told to',
      container: 'dead',
      orderly: true,
    }),
  );
});
