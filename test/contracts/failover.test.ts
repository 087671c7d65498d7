import { afterEach, describe, expect, it } from 'vitest';
import type { EngineCapabilities } from '@switchyard/shared/engine/runner-engine';
import { audit } from '../../control-plane/src/db/schema/operation/audit.ts';
import { attemptEvents } from '../../control-plane/src/observe/events/queries.ts';
import { createCoreWorld, type CoreWorld } from '../support/core/core-world.ts';
import { openFramePeer } from '../support/core/runner-peers.ts';
import { type Lease, scriptRunner, type ScriptedRunner } from '../support/core/scripted-runner.ts';

const worlds: CoreWorld[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

const CAPABILITIES: EngineCapabilities = {
  wireApis: ['responses'],
  steering: 'joins',
  resume: true,
  questions: true,
  reasoningEffort: true,
  operator: false,
  experimental: false,
};
const account = (name: string) => ({
  name,
  provider: { name, baseUrl: `http://${name}.example/v1`, wireApi: 'responses' },
});
const choice = (name: string, engine: string) => ({
  name,
  engine,
  account: name,
  model: `model-${name}`,
});
const ENGINE = {
  SERVICE_CONFIG__engine__accounts: JSON.stringify(['first', 'second', 'third'].map(account)),
  SERVICE_CONFIG__engine__choices: JSON.stringify([
    choice('first', 'alpha'),
    choice('second', 'beta'),
    choice('third', 'alpha'),
  ]),
  SERVICE_CONFIG__engine__failover: '["first", "second", "third"]',
};

async function scene({
  variables = {},
  slots = 1,
  engines = ['alpha', 'beta'],
}: {
  variables?: Record<string, string>;
  slots?: number;
  engines?: string[];
} = {}): Promise<{ world: CoreWorld; runner: ScriptedRunner }> {
  const world = await createCoreWorld(openFramePeer, { ...ENGINE, ...variables });
  worlds.push(world);
  const runner = scriptRunner(world, await world.join(), slots);
  await runner.hello({
    engines: engines.map((name) => ({ name, version: '1.0', capabilities: CAPABILITIES })),
  });
  return { world, runner };
}

/** Of an instance that was started anew: connections of the former one are gone. */
async function secondRunner(world: CoreWorld): Promise<ScriptedRunner> {
  const runner = scriptRunner(world, await world.join(), 1);
  const known = ['alpha', 'beta'];
  await runner.hello({
    engines: known.map((name) => ({ name, version: '1.0', capabilities: CAPABILITIES })),
  });
  return runner;
}

const thread = (threadId: string, engineVersion = '1.0') => ({
  kind: 'thread',
  payload: { threadId, resumed: false, engineVersion },
});
const started = { kind: 'turn', payload: { state: 'started', turnId: 't1', number: 1 } };
const used = (total: number) => {
  const totals = { input: total, cachedInput: 0, output: 0, reasoning: 0, total };
  return { kind: 'usage', payload: { totals, own: totals } };
};
const ended = (item: Record<string, unknown>) => ({
  kind: 'item',
  payload: { state: 'ended', itemId: 'i1', item },
});
const limited = (resetAtMs: number) =>
  ({
    outcome: 'failed',
    failureKind: 'usage_limited',
    message: 'out of quota',
    resetAtMs,
  }) as const;
const refused = {
  outcome: 'failed',
  failureKind: 'auth_failed',
  message: 'no such key',
} as const;
const done = { outcome: 'completed', marker: 'DONE' } as const;
const HOUR_MS = 3_600_000;

describe('an issue whose account is out of quota', () => {
  it('goes on at once with the next choice, without a try, and is told what was done', async () => {
    const { world, runner } = await scene();
    const identifier = await world.createIssue();
    await world.tick();
    const offer = runner.offer();
    expect(offer.spec.engine).toMatchObject({
      name: 'alpha',
      account: 'first',
      model: 'model-first',
      provider: { baseUrl: 'http://first.example/v1' },
    });
    const lease = await runner.accept(offer);
    await runner.events(
      lease,
      thread('thread-1'),
      started,
      used(700),
      ended({ type: 'plan', text: 'Read, then ```write``` the page.' }),
      ended({ type: 'command', command: 'npm test', status: 'failed', exitCode: 3 }),
    );
    const resetAtMs = world.clock.nowMs() + HOUR_MS;
    await runner.finish(lease, limited(resetAtMs));
    expect(await world.issue(identifier)).toMatchObject({
      status: 'queued',
      reason_code: 'failed_over',
      next_retry_at_ms: null,
      run_count: 0,
      failure_count: 0,
      thread_id: 'thread-1',
      thread_engine: 'alpha',
    });
    await world.tick();
    const next = runner.offer();
    expect(next.spec).toMatchObject({
      number: 2,
      engine: { name: 'beta', account: 'second', model: 'model-second' },
    });
    expect(next.spec).not.toHaveProperty('resumeThreadId');
    expect(next.spec.resume?.sessionBlob).toBeUndefined();
    expect(next.spec.prompt).toContain('Another agent (alpha with the model model-first)');
    expect(next.spec.prompt).toContain('The model provider limits usage for now.');
    expect(next.spec.prompt).toContain('````text\nRead, then ```write``` the page.\n````');
    expect(next.spec.prompt).toContain('$ npm test  # exit code 3');
    expect(await world.attempt(lease.attemptId)).toMatchObject({
      engine: 'alpha',
      account: 'first',
      engine_version: '1.0',
      failed_over_from: null,
      status: 'failed',
      reason_code: 'provider_limited',
    });
    expect(await world.attempt(next.attemptId)).toMatchObject({
      engine: 'beta',
      account: 'second',
      failed_over_from: lease.attemptId,
    });
    const told = await attemptEvents(world.deps.db, {
      attemptId: next.attemptId,
      afterSeq: 0,
      limit: 50,
    });
    expect(told).toMatchObject([
      {
        type: 'attempt.failover',
        data: {
          from: { attemptId: lease.attemptId, engine: 'alpha', account: 'first' },
          to: { attemptId: next.attemptId, engine: 'beta', account: 'second' },
          reasonCode: 'provider_limited',
        },
      },
    ]);
    const audited = await world.deps.db.select().from(audit);
    expect(audited).toContainEqual(
      expect.objectContaining({ operation: 'attempt.failover', subject: identifier }),
    );
    await runner.finish(await runner.accept(next), done);
    expect(await world.issue(identifier)).toMatchObject({ status: 'completed', run_count: 1 });
  });

  it('walks the chain once, waits for the first reset, and returns to the first', async () => {
    const { world, runner } = await scene();
    const identifier = await world.createIssue();
    await world.tick();
    const resets = [2 * HOUR_MS, HOUR_MS, 3 * HOUR_MS].map((ms) => world.clock.nowMs() + ms);
    const ran: (string | undefined)[] = [];
    for (const resetAtMs of resets) {
      const offer = runner.offer();
      ran.push(offer.spec.engine.account);
      await runner.finish(await runner.accept(offer), limited(resetAtMs));
      await world.tick();
    }
    expect(ran).toEqual(['first', 'second', 'third']);
    expect(runner.offers()).toEqual([]);
    expect(await world.issue(identifier)).toMatchObject({
      status: 'retrying',
      reason_code: 'providers_paused',
      run_count: 0,
      next_retry_at_ms: resets[1],
    });
    await world.pass(HOUR_MS - 60_000);
    expect(runner.offers()).toEqual([]);
    await world.pass(61_000);
    const again = runner.offer();
    expect(again.spec.engine.account).toBe('second');
    await runner.finish(await runner.accept(again), limited(world.clock.nowMs() + 5 * HOUR_MS));
    await world.pass(HOUR_MS);
    const first = runner.offer();
    expect(first.spec.engine.account).toBe('first');
    await runner.finish(await runner.accept(first), done);
    expect(await world.issue(identifier)).toMatchObject({
      status: 'completed',
      attempt_count: 5,
      run_count: 1,
    });
  });

  it('waits for a reset that was told although another instance begins to lead', async () => {
    const { world, runner } = await scene({
      variables: { SERVICE_CONFIG__engine__failover: '["first"]' },
    });
    const identifier = await world.createIssue();
    await world.tick();
    const resetAtMs = world.clock.nowMs() + 5 * HOUR_MS;
    await runner.finish(await runner.accept(runner.offer()), limited(resetAtMs));
    await world.restart({ ...ENGINE, SERVICE_CONFIG__engine__failover: '["first"]' });
    const other = await secondRunner(world);
    expect(await world.issue(identifier)).toMatchObject({ next_retry_at_ms: resetAtMs });
    await world.pass(5 * HOUR_MS - 60_000);
    expect(other.offers()).toEqual([]);
    await world.pass(61_000);
    expect(other.offer().spec.engine.account).toBe('first');
  });

  it('does not wait by a clock that was ahead when the reset was told', async () => {
    const { world, runner } = await scene({
      variables: { SERVICE_CONFIG__engine__failover: '["first"]' },
    });
    await world.createIssue();
    await world.tick();
    const lease = await runner.accept(runner.offer());
    const aheadMs = 300 * 24 * HOUR_MS;
    world.clock.set(aheadMs);
    await world.tick();
    await runner.finish(lease, limited(world.clock.nowMs() + HOUR_MS));
    world.clock.set(-aheadMs);
    await world.restart({ ...ENGINE, SERVICE_CONFIG__engine__failover: '["first"]' });
    const other = await secondRunner(world);
    await world.pass(HOUR_MS - 60_000);
    expect(other.offers()).toEqual([]);
    await world.pass(120_000);
    expect(other.offer().spec.engine.account).toBe('first');
  });

  it('leaves other issues on the next choice while one canary tries the first', async () => {
    const { world, runner } = await scene({ slots: 3 });
    await world.createIssue();
    await world.tick();
    const offer = runner.offer();
    await runner.finish(await runner.accept(offer), limited(world.clock.nowMs() + 60_000));
    await world.tick();
    const next = runner.offer();
    expect(next.spec.engine.account).toBe('second');
    await runner.accept(next);
    await world.pass(61_000);
    await world.createIssue();
    await world.createIssue();
    await world.tick();
    const accounts = runner.offers().map(({ spec }) => spec.engine.account);
    expect(new Set(accounts)).toEqual(new Set(['first', 'second']));
  });

  it('goes back to its own thread where no other engine made one', async () => {
    const { world, runner } = await scene();
    await world.createIssue();
    await world.tick();
    const first = await runner.accept(runner.offer());
    await runner.events(first, thread('thread-1'), started, used(100));
    await runner.finish(first, limited(world.clock.nowMs() + 30_000));
    await world.tick();
    // Refused before it had a thread.
    await runner.finish(await runner.accept(runner.offer()), refused);
    await world.tick();
    const third = runner.offer();
    // The same engine with another account's key: what one provider sealed the other cannot read.
    expect(third.spec.engine).toMatchObject({ name: 'alpha', account: 'third' });
    expect(third.spec).not.toHaveProperty('resumeThreadId');
    await runner.finish(await runner.accept(third), limited(world.clock.nowMs() + HOUR_MS));
    await world.pass(31_000);
    const back = runner.offer();
    expect(back.spec).toMatchObject({ engine: { account: 'first' }, resumeThreadId: 'thread-1' });
  });

  it('counts every attempt of a chain against the budget', async () => {
    const variables = { SERVICE_CONFIG__agent__budget__issueTokens: '1000' };
    const { world, runner } = await scene({ variables });
    const identifier = await world.createIssue();
    await world.tick();
    const use = async (lease: Lease, id: string) => {
      await runner.events(lease, thread(id), started, used(600));
      await runner.finish(lease, limited(world.clock.nowMs() + HOUR_MS));
      await world.tick();
    };
    await use(await runner.accept(runner.offer()), 'thread-1');
    await use(await runner.accept(runner.offer()), 'thread-2');
    expect(runner.offers()).toEqual([]);
    expect(await world.issue(identifier)).toMatchObject({
      status: 'blocked',
      reason_code: 'issue_budget_used',
    });
  });
});

describe('an engine that no runner has', () => {
  it('is waited for, with the reason, and the work starts once a runner has it', async () => {
    const { world, runner } = await scene({ engines: ['beta'] });
    const identifier = await world.createIssue();
    await world.tick();
    expect(runner.offers()).toEqual([]);
    expect(await world.issue(identifier)).toMatchObject({
      status: 'queued',
      reason_code: 'runner_engine_missing',
      reason: 'waiting for a runner with the agent engine alpha',
    });
    const other = scriptRunner(world, await world.join(), 1);
    await other.hello({ engines: [{ name: 'alpha', version: '1', capabilities: CAPABILITIES }] });
    await world.tick();
    expect(other.offer().spec.engine.name).toBe('alpha');
  });

  it('is waited for without a person while its runner fetches it', async () => {
    const { world, runner } = await scene({ engines: ['beta'] });
    const other = scriptRunner(world, await world.join(), 1);
    const tell = (state?: 'fetchable' | 'fetching' | 'failed') =>
      other.hello({
        engines: [
          {
            name: 'alpha',
            version: '1',
            capabilities: CAPABILITIES,
            ...(state === undefined ? {} : { state }),
            ...(state === 'failed' ? { problem: 'no space on the disk' } : {}),
          },
        ],
      });
    await tell('fetchable');
    const identifier = await world.createIssue();
    await world.tick();
    const { attemptId, epoch } = other.offer();
    await other.send({
      type: 'decline',
      attemptId,
      epoch,
      code: 'NO_SLOT',
      message: 'the agent engine alpha 1 is being fetched',
    });
    await tell('fetching');
    world.clock.advance(2_000);
    await world.tick();
    expect(runner.offers()).toEqual([]);
    expect(await world.issue(identifier)).toMatchObject({
      status: 'queued',
      reason_code: 'runner_engine_fetching',
      reason: 'waiting for a runner that is fetching the agent engine alpha',
    });
    await tell('failed');
    await world.tick();
    expect(await world.issue(identifier)).toMatchObject({
      status: 'queued',
      reason_code: 'runner_engine_missing',
      reason: expect.stringMatching(/engine alpha; .* could not fetch it: no space on the disk$/),
    });
    await tell();
    await world.tick();
    expect(other.offer()).toMatchObject({ attemptId, spec: { engine: { name: 'alpha' } } });
  });

  it('is not asked of a runner that tells no engines: it has the default one only', async () => {
    const { world } = await scene({ engines: [] });
    const old = scriptRunner(world, await world.join(), 1);
    await old.hello();
    const identifier = await world.createIssue();
    await world.tick();
    expect(old.offers()).toEqual([]);
    expect(await world.issue(identifier)).toMatchObject({ reason_code: 'runner_engine_missing' });
  });
});
