import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { deferred } from '@switchyard/shared/deferred';
import { SCRIPTED_BASE_URL } from '@switchyard/shared/model-providers/scripted-model';
import type { EngineCapabilities } from '@switchyard/shared/engine/runner-engine';
import { describe, expect, it } from 'vitest';
import { trialShare } from '../../control-plane/src/attempts/queries.ts';
import { pullRequests } from '../../control-plane/src/db/schema/work/pull-requests.ts';
import { retryIssue } from '../../control-plane/src/issues/actions/retry-issue.ts';
import { setIssueModel } from '../../control-plane/src/issues/actions/set-issue-model.ts';
import { type CoreWorld, PERSON } from '../support/core/core-world.ts';
import { type ScriptedRunner, scriptRunner } from '../support/core/scripted-runner.ts';
import { useCoreWorlds } from '../support/core/use-core-worlds.ts';

const LOCAL = { remoteAddress: '127.0.0.1' };
const LEASE_OVER_MS = 120_000;
const CAN: EngineCapabilities = {
  wireApis: ['responses'],
  steering: 'joins',
  resume: true,
  questions: true,
  reasoningEffort: true,
  operator: true,
  experimental: false,
};
const ON = { SERVICE_CONFIG__engine__trial: 'true' };
const make = useCoreWorlds();

/** A runner with the default engine; `scripted`: it has the script of a trial, as older ones do not. */
async function runnerOf(world: CoreWorld, { scripted = true } = {}): Promise<ScriptedRunner> {
  const runner = scriptRunner(world, await world.join(), 1);
  const capabilities = scripted ? { ...CAN, scripted } : CAN;
  await runner.hello({ engines: [{ name: 'codex', version: '1.0', capabilities }] });
  return runner;
}

async function setTrial(world: CoreWorld, state: 'on' | 'off'): Promise<void> {
  const response = await world.core.app.request(
    '/api/v1/config/overlay/engine.trial',
    {
      method: 'PATCH',
      headers: { Host: 'localhost', 'content-type': 'application/json' },
      body: JSON.stringify({ value: state === 'on' }),
    },
    LOCAL,
  );
  expect(response.status).toBe(200);
}

const scripted = {
  model: 'scripted-trial',
  provider: { name: 'scripted-trial', baseUrl: SCRIPTED_BASE_URL, wireApi: 'responses' },
};
const thread = {
  kind: 'thread',
  payload: { threadId: 'th-1', resumed: false, engineVersion: '1' },
};

describe('work on trial', () => {
  it('is offered to no runner that would ask a provider, and says what to do', async () => {
    const world = await make(ON);
    const old = await runnerOf(world, { scripted: false });
    const identifier = await world.createIssue();
    await world.tick();
    expect(old.offers()).toEqual([]);
    const issue = await world.issue(identifier);
    expect(issue).toMatchObject({ status: 'queued', reason_code: 'runner_engine_missing' });
    expect(issue?.reason).toContain('cannot work on trial without a model; update the runner');
    const current = await runnerOf(world);
    await world.tick();
    expect(old.offers()).toEqual([]);
    expect(current.offer().spec.engine).toMatchObject(scripted);
  });

  it('waits for no key, gives none away, and lets nothing name another model', async () => {
    const account = { name: 'team', provider: { baseUrl: 'https://team.example/v1' } };
    const choice = { name: 'big', engine: 'codex', model: 'big-1', account: 'team' };
    const world = await make({
      ...ON,
      SERVICE_CONFIG__engine__provider__apiKey: '$SECRET:NOT_STORED',
      SERVICE_CONFIG__engine__accounts: JSON.stringify([account]),
      SERVICE_CONFIG__engine__choices: JSON.stringify([choice]),
      SERVICE_CONFIG__engine__failover: '["big", "default"]',
    });
    const runner = await runnerOf(world);
    const identifier = await world.createIssue();
    const override = { model: 'gpt-mine', reasoning_effort: 'high' };
    await setIssueModel(world.deps, { identifier, caller: PERSON, override });
    await world.tick();
    const offer = runner.offer();
    expect(offer.spec.engine).toMatchObject(scripted);
    expect(offer.spec.engine).not.toHaveProperty('reasoningEffort');
    const granted = await runner.sendOne(runner.acceptMessage(offer));
    expect(granted.type).toBe('granted');
    expect(granted).not.toHaveProperty('sealedSecrets');
  });

  it('keeps a stored key of a provider from the runner', async () => {
    const world = await make({ ...ON, SERVICE_CONFIG__engine__provider__apiKey: 'sk-stored' });
    const runner = await runnerOf(world);
    await world.createIssue();
    await world.tick();
    const granted = await runner.sendOne(runner.acceptMessage(runner.offer()));
    expect(granted).not.toHaveProperty('sealedSecrets');
  });

  it('is not taken as offered once the trial is over or begins', async () => {
    const world = await make({ SERVICE_CONFIG__engine__provider__apiKey: 'sk-1' });
    const runner = await runnerOf(world);
    await world.createIssue();
    await world.tick();
    const real = runner.offer();
    await setTrial(world, 'on');
    expect(await runner.sendOne(runner.acceptMessage(real))).not.toMatchObject({ type: 'granted' });
    await world.tick();
    const trial = runner.offer();
    expect(trial.spec.engine).toMatchObject(scripted);
    await setTrial(world, 'off');
    expect(await runner.sendOne(runner.acceptMessage(trial))).not.toMatchObject({
      type: 'granted',
    });
    await world.tick();
    expect(runner.offer().spec.engine).toMatchObject({ model: 'gpt-5.5' });
  });

  it('that has begun ends on trial, and no model goes on with its thread', async () => {
    const world = await make({ ...ON, SERVICE_CONFIG__engine__provider__apiKey: 'sk-1' });
    const runner = await runnerOf(world);
    const identifier = await world.createIssue();
    await world.tick();
    const lease = await runner.accept(runner.offer());
    await runner.events(lease, thread);
    await setTrial(world, 'off');
    // The runner is lost, and comes back without it.
    world.core.sockets.disconnect(runner.runnerId);
    await world.pass(LEASE_OVER_MS);
    await runner.hello({
      engines: [{ name: 'codex', version: '1.0', capabilities: { ...CAN, scripted: true } }],
    });
    await world.tick();
    const again = runner.offer();
    expect(again).toMatchObject({ attemptId: lease.attemptId });
    expect(again.spec.engine).toMatchObject(scripted);
    const second = await runner.accept(again);
    await runner.finish(second, { outcome: 'completed', marker: 'BLOCKED', summary: 'A script.' });
    const end = await world.attempt(lease.attemptId);
    expect(end).toMatchObject({ model: 'scripted-trial', cost_usd: null });
    await retryIssue(world.deps, { identifier, caller: PERSON });
    await world.tick();
    const next = runner.offer();
    expect(next.spec.engine).toMatchObject({ model: 'gpt-5.5' });
    expect(next.spec).not.toHaveProperty('resumeThreadId');
    expect((await world.issue(identifier)).thread_id).toBe('th-1');
    // Once the model has worked as well, nobody says of its work that no model was asked.
    const share = async () => trialShare(world.deps.db, await world.issue(identifier));
    expect(await share()).toBe('whole');
    const third = await runner.accept(next);
    await runner.events(third, {
      kind: 'thread',
      payload: { ...thread.payload, threadId: 'th-2' },
    });
    const totals = { input: 90, cachedInput: 0, output: 10, reasoning: 0, total: 100 };
    await runner.events(third, { kind: 'usage', payload: { totals, own: totals } });
    expect(await share()).toBe('part');
    // What was merged is no part of the next pull request.
    const { db } = world.deps;
    const pull = {
      id: 'pr_1',
      number: 1,
      code_host: 'local',
      repository_url: 'https://x/y',
      base: 'main',
      branch: 'switchyard/sy-1',
      base_commit: 'a',
      commit_sha: 'b',
      title: '',
      body: '',

      draft: false,
      status: 'open' as const,
      diff_stat: { files: 1, insertions: 1, deletions: 0 },
      issue_identifier: identifier,
      attempt_id: lease.attemptId,
      created_at_ms: 1,
      updated_at_ms: 1,
    };
    await db.insert(pullRequests).values(pull);
    expect(await share()).toBe('part');
    // The branch of one that was closed goes on in the next.
    await db.update(pullRequests).set({ status: 'closed' });
    expect(await share()).toBe('part');
    await db.update(pullRequests).set({ status: 'merged' });
    expect(await share()).toBe(null);
  });

  it('that has begun goes to no runner without the script, also when the trial is over', async () => {
    const world = await make({ ...ON, SERVICE_CONFIG__engine__provider__apiKey: 'sk-1' });
    const runner = await runnerOf(world);
    const identifier = await world.createIssue();
    await world.tick();
    await runner.events(await runner.accept(runner.offer()), thread);
    await setTrial(world, 'off');
    world.core.sockets.disconnect(runner.runnerId);
    await world.pass(LEASE_OVER_MS);
    const old = await runnerOf(world, { scripted: false });
    await world.tick();
    expect(old.offers()).toEqual([]);
    expect((await world.issue(identifier)).reason).toContain('update the runner');
    // What has not begun is a model's again, and any runner's.
    const other = await world.createIssue();
    await world.tick();
    expect(old.offer().spec).toMatchObject({ issue: { identifier: other } });
  });
});

describe('work of a model while a trial begins', () => {
  const REAL = { SERVICE_CONFIG__engine__provider__apiKey: 'sk-1' };

  it('keeps its key while it runs, as its runner comes back', async () => {
    const world = await make(REAL);
    const runner = await runnerOf(world);
    await world.createIssue();
    await world.tick();
    const offer = runner.offer();
    await runner.accept(offer);
    await setTrial(world, 'on');
    const again = await runner.sendOne(runner.acceptMessage(offer));
    expect(again).toMatchObject({ type: 'granted', sealedSecrets: expect.any(String) });
  });

  it('waits once its runner is lost: the script neither goes on with it nor has it for its own', async () => {
    const world = await make(REAL);
    const runner = await runnerOf(world);
    const identifier = await world.createIssue();
    await world.tick();
    const lease = await runner.accept(runner.offer());
    await runner.events(lease, thread);
    await setTrial(world, 'on');
    world.core.sockets.disconnect(runner.runnerId);
    await world.pass(LEASE_OVER_MS);
    const second = await runnerOf(world);
    await world.tick();
    expect(second.offers()).toEqual([]);
    const issue = await world.issue(identifier);
    expect(issue).toMatchObject({ status: 'queued', reason_code: 'trial_is_on' });
    expect(issue.reason).toMatch(/end the trial/i);
    expect(await world.attempt(lease.attemptId)).toMatchObject({ model: 'gpt-5.5' });
    await setTrial(world, 'off');
    await world.tick();
    const again = second.offer();
    expect(again).toMatchObject({ attemptId: lease.attemptId });
    expect(again.spec).toMatchObject({ resumeThreadId: 'th-1', engine: { model: 'gpt-5.5' } });
  });
});

describe('connecting a provider', () => {
  const given = { baseUrl: 'http://127.0.0.1:9/v1', apiKey: 'sk-some-key', unchecked: true };

  /** The overlay after a provider was connected. */
  async function connected(world: CoreWorld, input: object = given): Promise<string> {
    const request = (path: string, body?: unknown) =>
      world.core.app.request(
        `/api/v1/${path}`,
        {
          ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
          headers: { Host: 'localhost', 'content-type': 'application/json' },
        },
        LOCAL,
      );
    expect((await request('setup/provider', input)).status).toBe(200);
    return (await request('config/overlay')).text();
  }

  it('ends a trial, wherever it was begun', async () => {
    const world = await make(ON);
    await connected(world);
    expect((await world.core.deps.config.load()).engine.trial).toBe(false);
  });

  it('ends one that somebody began while the provider was asked', async () => {
    const world = await make();
    const [asked, answer] = [deferred<void>(), deferred<void>()];
    const provider = createServer((_request, response) => {
      asked.resolve();
      void answer.promise.then(() => response.end(JSON.stringify({ data: [{ id: 'm-1' }] })));
    });
    await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = provider.address() as AddressInfo;
      const baseUrl = `http://127.0.0.1:${port}/v1`;
      const connecting = connected(world, { baseUrl, apiKey: 'sk-some-key', model: 'm-1' });
      await asked.promise;
      await setTrial(world, 'on');
      answer.resolve();
      await connecting;
      expect((await world.core.deps.config.load()).engine).toMatchObject({
        trial: false,
        provider: { baseUrl },
      });
    } finally {
      provider.close();
    }
  });

  it('writes nothing of trials where none is on: an older version reads it too', async () => {
    expect(await connected(await make())).not.toContain('trial');
  });
});
