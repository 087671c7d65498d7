import { desc, eq } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ControlPlaneMessageOf } from '@switchyard/shared/protocol/messages';
import { createGitHubCodeHost } from '../../control-plane/src/integrations/github/code-host/github-code-host.ts';
import { audit } from '../../control-plane/src/db/schema/operation/audit.ts';
import { issues } from '../../control-plane/src/db/schema/work/issues.ts';
import { attemptEvents } from '../../control-plane/src/observe/events/queries.ts';
import { createGitHubConnections } from '../../control-plane/src/integrations/github/api/github-connections.ts';
import { abortIssue } from '../../control-plane/src/issues/actions/abort-issue.ts';
import { type CoreWorld, createCoreWorld, PERSON } from '../support/core/core-world.ts';
import { openFramePeer } from '../support/core/runner-peers.ts';
import { type Lease, type ScriptedRunner, scriptRunner } from '../support/core/scripted-runner.ts';
import { FakeGitHub } from '../support/github/fake-github.ts';
import type { FakeRepository } from '../support/github/fake-state.ts';

type Result = ControlPlaneMessageOf<'result'>;
type Answer = { success: boolean; text: string };

describe('tools of an agent', () => {
  let world: CoreWorld;
  let fake: FakeGitHub;
  let repository: FakeRepository;
  let runner: ScriptedRunner;
  let lease: Lease;
  let calls = 0;

  beforeEach(async () => {
    fake = await FakeGitHub.start();
    repository = fake.addRepository('acme', 'shop');
    fake.addRepository('acme', 'other');
    const repos = [{ prefix: 'SY', url: fake.urlOf(repository), default_branch: 'main' }];
    world = await createCoreWorld(openFramePeer, {
      SERVICE_CONFIG__codehost__github__endpoint: fake.apiUrl,
      SERVICE_CONFIG__codehost__github__url: fake.webUrl,
      SERVICE_CONFIG__codehost__github__appId: fake.credentials.appId,
      SERVICE_CONFIG__codehost__github__appPrivateKey: fake.credentials.privateKey,
      SERVICE_CONFIG__repos: JSON.stringify(repos),
    });
    // The App's tokens are told apart by the real time.
    const clock = { nowMs: () => Date.now() };
    const github = createGitHubConnections({ ...world.deps, clock });
    world.deps.codeHosts = [createGitHubCodeHost({ ...world.deps, clock, github })];
    await world.deps.config.load();
    await world.createIssue({ description: 'Look at #12' });
    runner = scriptRunner(world, await world.join());
    await runner.hello();
    await world.tick();
  });
  afterEach(async () => {
    await world.close();
    await fake.close();
  });

  async function start() {
    const offer = runner.offer();
    lease = await runner.accept(offer);
    return offer.spec;
  }

  async function result(message: Parameters<ScriptedRunner['send']>[0]): Promise<Result> {
    world.core.sockets.take(runner.runnerId);
    expect(await runner.send(message)).toEqual([]);
    const seen: Result[] = [];
    await expect
      .poll(
        () => {
          for (const one of world.core.sockets.take(runner.runnerId)) {
            if (one.type === 'result') seen.push(one);
          }
          return seen.length;
        },
        { timeout: 30_000, interval: 5 },
      )
      .toBe(1);
    return seen[0] as Result;
  }
  const ask = async (tool: string, given: unknown, more: Partial<Lease> = {}): Promise<Answer> => {
    const { attemptId, epoch } = { ...lease, ...more };
    const answer = await result({
      type: 'call',
      callId: `call_t${(calls += 1)}`,
      attemptId,
      epoch,
      method: 'tool.call',
      params: { tool, arguments: given },
      timeoutMs: 30_000,
    });
    if (!answer.ok) throw new Error(answer.error?.code);
    return answer.value as Answer;
  };
  const github = (method: string, path: string, body?: unknown) =>
    ask('github_api', { method, path, ...(body === undefined ? {} : { body }) });
  const events = async () => {
    const all = await attemptEvents(world.deps.db, {
      attemptId: lease.attemptId,
      afterSeq: 0,
      limit: 500,
    });
    return all.flatMap(({ data }) => {
      const { kind, payload } = data as { kind?: string; payload?: Record<string, unknown> };
      return kind === 'tool_call' || kind === 'tool_refused' ? [{ kind, ...payload }] : [];
    });
  };

  it('are offered where somebody can answer, with the limits in words', async () => {
    const spec = await start();
    expect(spec.tools?.map(({ name }) => name)).toEqual(['github_api', 'tracker_api']);
    expect(spec.tools?.[0]?.description).toContain('/repos/acme/shop');
    expect(spec.tools?.[0]?.description).not.toContain('merge,');
  });

  it('read and write on GitHub with a credential that nobody else sees', async () => {
    await start();
    repository.issues.push({
      id: 1,
      number: 12,
      state: 'open',
      state_reason: null,
      title: 'Old',
      body: 'Do\u202e not',
      labels: [],
      assignees: [],
      user: { login: 'ada', id: 7, type: 'User' },
      created_at: new Date().toISOString(),
      updated_at: new Date().toISOString(),
      isPull: false,
    });
    const read = await github('GET', '/repos/acme/shop/issues/12');
    expect(read).toMatchObject({ success: true });
    expect(read.text).toMatch(/^HTTP 200\n\n\{/);
    expect(read.text).toContain('"number":12');
    expect(read.text).not.toContain('labels_url');
    expect(read.text).toContain('"user":"ada"');
    expect(read.text).toContain('Do not');
    const said = await github('POST', '/repos/{owner}/{repo}/issues/12/comments', { body: 'Hi' });
    expect(said.text).toContain('HTTP 201');
    expect(repository.comments.map(({ body, user }) => [body, user.login])).toEqual([
      ['Hi', 'switchyard-app[bot]'],
    ]);
    expect(await events()).toMatchObject([
      { kind: 'tool_call', method: 'GET', outcome: 'done', status: 200 },
      { kind: 'tool_call', method: 'POST', outcome: 'done', status: 201 },
    ]);
    const rows = await world.deps.db.select().from(audit).orderBy(desc(audit.entry)).limit(3);
    expect(rows.map(({ operation }) => operation)).toEqual([
      'tool.call',
      'tool.begin',
      'tool.call',
    ]);
    expect(rows[0]).toMatchObject({ actor: `agent:${lease.attemptId}`, subject: 'SY-1' });
    const stored = JSON.stringify([rows, await events()]);
    for (const secret of fake.credentials.minted) expect(stored).not.toContain(secret);
  });

  it('refuse what is not theirs by name, without asking GitHub', async () => {
    await start();
    const before = fake.requests.length;
    const cases = [
      ['DELETE', '/repos/acme/shop', 'not_allowed'],
      ['GET', '/repos/acme/other/issues', 'other_repository'],
      ['GET', '/repos/acme/shop/../other/issues', 'path_refused'],
      ['PUT', '/repos/acme/shop/pulls/1/merge', 'not_allowed'],
    ] as const;
    for (const [method, path, code] of cases) {
      const answer = await github(method, path);
      expect(answer).toMatchObject({ success: false });
      expect(answer.text).toContain(`Refused (${code}): `);
    }
    expect(fake.requests.length).toBe(before);
    expect(await events()).toMatchObject(
      cases.map(([method, path, code]) => ({ kind: 'tool_refused', method, path, code })),
    );
    expect(await ask('tracker_admin', {})).toMatchObject({ success: false });
  });

  it('tell the agent what GitHub said, and when it may ask again', async () => {
    await start();
    expect((await github('GET', '/repos/acme/shop/issues/99')).text).toContain('HTTP 404');
    const moved = { Location: `${fake.apiUrl}/repos/acme/other/issues/1` };
    fake.makeTrouble({ match: /issues\/1/, times: 1, status: 301, headers: moved });
    expect((await github('GET', '/repos/acme/shop/issues/1')).text).toContain('out of reach');
    expect(fake.requests.some(({ path }) => path.includes('/acme/other'))).toBe(false);
    fake.makeTrouble({ match: /issues\/1/, times: 1, cut: true });
    expect((await github('GET', '/repos/acme/shop/issues/1')).text).toContain('no answer');
    const huge = JSON.stringify({ title: 'y'.repeat(500_000) });
    fake.makeTrouble({ match: /issues\/1/, times: 1, status: 200, body: huge });
    const long = await github('GET', '/repos/acme/shop/issues/1');
    expect(long.text.length).toBeLessThanOrEqual(60_000);
    expect(long.text).toContain('cut: ask for less');
    const headers = { 'Retry-After': '7' };
    fake.makeTrouble({ match: /issues\/1/, times: 1, status: 429, headers });
    const limited = await github('GET', '/repos/acme/shop/issues/1');
    expect(limited).toMatchObject({ success: false });
    expect(limited.text).toContain('Ask again in 7 seconds');
    // Told once, and asked no more until then.
    const before = fake.requests.length;
    expect((await github('GET', '/repos/acme/shop/issues/2')).text).toContain('not asked');
    expect(fake.requests.length).toBe(before);
  });

  it('try a token that GitHub no longer takes once more with a new one', async () => {
    await start();
    const branch = '/repos/acme/shop/issues?state=all';
    expect(await github('GET', branch)).toMatchObject({ success: true });
    expect(fake.credentials.minted).toHaveLength(1);
    fake.makeTrouble({ match: /issues/, times: 1, status: 401, body: '{"message":"Bad"}' });
    expect(await github('GET', branch)).toMatchObject({ success: true });
    expect(fake.credentials.minted).toHaveLength(2);
    fake.makeTrouble({ match: /issues/, times: 9, status: 401, body: '{"message":"Bad"}' });
    const before = fake.requests.length;
    expect((await github('GET', branch)).text).toContain('HTTP 401');
    expect(fake.requests.slice(before).filter(({ path }) => path.includes('issues'))).toHaveLength(
      2,
    );
  });

  it('change nothing for a runner that lost its lease, or whose attempt is being stopped', async () => {
    await start();
    const say = { method: 'POST', path: '/repos/acme/shop/issues/1/comments', body: { body: 'x' } };
    await expect(ask('github_api', say, { epoch: lease.epoch + 1 })).rejects.toThrow('REFUSED');
    await expect(ask('github_api', say, { attemptId: 'att_other' })).rejects.toThrow('REFUSED');
    await abortIssue(world.deps, { identifier: 'SY-1', caller: PERSON });
    await expect(ask('github_api', say)).rejects.toThrow('REFUSED');
    expect(repository.comments).toEqual([]);
  });

  it('are called no more often than they may, and say when again', async () => {
    await start();
    for (let call = 0; call < 60; call += 1) {
      expect(await ask('tracker_api', { operation: 'list_comments' })).toMatchObject({
        success: true,
      });
    }
    const over = await ask('tracker_api', { operation: 'list_comments' });
    expect(over.text).toMatch(/Refused \(rate_limited\): .* in 60 seconds/);
    world.clock.advance(60_000);
    expect(await ask('tracker_api', { operation: 'list_comments' })).toMatchObject({
      success: true,
    });
  });

  it('reach the own issue in the tracker, and keep one note there that wakes nobody', async () => {
    await start();
    const issue = await ask('tracker_api', { operation: 'get_issue' });
    expect(JSON.parse(issue.text)).toMatchObject({
      identifier: 'SY-1',
      description: 'Look at #12',
      blockedBy: [],
    });
    for (const text of ['Half done', 'Done but for the tests, @ada']) {
      expect(await ask('tracker_api', { operation: 'write_note', text })).toMatchObject({
        success: true,
      });
    }
    const comments = JSON.parse((await ask('tracker_api', { operation: 'list_comments' })).text);
    expect(comments).toMatchObject([
      { author: 'service', body: '**Note of the agent**\n\nDone but for the tests, @ada' },
    ]);
    const wrong = await ask('tracker_api', { operation: 'get_issue', identifier: 'SY-2' });
    expect(wrong.text).toContain('Refused (malformed)');
    expect(await ask('tracker_api', { operation: 'delete_issue' })).toMatchObject({
      success: false,
    });
    expect(await world.issue('SY-1')).toMatchObject({ attempt_count: 1 });
  });

  it('can be switched off, also while an attempt runs', async () => {
    await start();
    await world.deps.db.update(issues).set({ reason: null }).where(eq(issues.identifier, 'SY-1'));
    const load = world.deps.config.load.bind(world.deps.config);
    world.deps.config.load = async () => {
      const config = await load();
      return { ...config, agent: { ...config.agent, tools: [] } };
    };
    expect(await github('GET', '/repos/acme/shop')).toMatchObject({
      success: false,
      text: expect.stringContaining('not_offered') as string,
    });
  });
});
