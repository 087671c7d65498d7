import { MAX_ENGINE_RESULT_BYTES } from '@switchyard/shared/protocol/engine-operations';
import type { ControlPlaneMessageOf } from '@switchyard/shared/protocol/messages';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { audit } from '../../control-plane/src/db/schema/operation/audit.ts';
import { type CoreWorld, createCoreWorld } from '../support/core/core-world.ts';
import { openFramePeer } from '../support/core/runner-peers.ts';

const LOCAL = { remoteAddress: '127.0.0.1' };
const WAIT_MS = 10_000;
const THREAD = '019d0000-0000-7000-8000-000000000000';

type Reply = { ok: true; value: unknown } | { ok: false; error: { code: string; message: string } };

let world: CoreWorld;
let runnerId: string;
beforeEach(async () => {
  world = await createCoreWorld(openFramePeer);
  ({ runnerId } = await world.join());
  world.core.sockets.connect(runnerId);
});
afterEach(() => world.close());

async function call(method: string, path: string, body?: unknown) {
  const headers = { Host: 'localhost', 'Content-Type': 'application/json' };
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const init = { method, headers, ...sent };
  const response = await world.core.app.request(`/api/v1${path}`, init, LOCAL);
  const text = await response.text();
  const parsed = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
  return { status: response.status, body: parsed };
}

/** The next calls that reach the runner, unanswered. */
async function callsOf(count: number): Promise<ControlPlaneMessageOf<'call'>[]> {
  const sent: ControlPlaneMessageOf<'call'>[] = [];
  const poll = () =>
    sent.push(...world.core.sockets.take(runnerId).filter((message) => message.type === 'call'));
  await expect.poll(poll, { timeout: WAIT_MS, interval: 5 }).toBeGreaterThanOrEqual(count);
  return sent;
}

/** The next call that reaches the runner, answered. */
async function answerNext(reply: Reply): Promise<ControlPlaneMessageOf<'call'>> {
  const [call] = await callsOf(1);
  if (call === undefined) throw new Error('no call reached the runner');
  world.deps.connections.settle(runnerId, { type: 'result', callId: call.callId, ...reply });
  return call;
}

async function asked(reply: Reply, method = 'GET', path = '/engine/account', body?: unknown) {
  const [answer, sent] = await Promise.all([call(method, path, body), answerNext(reply)]);
  return { ...answer, sent };
}

const outcome = (value: unknown): Reply => ({ ok: true, value });
const answered = (result: unknown): Reply =>
  outcome({ outcome: 'answered', result, shortened: false });

describe('what an engine answers, as the API says it', () => {
  it.each([
    ['unreachable', 503, 'engine_unreachable'],
    ['refused', 502, 'engine_error'],
    ['unsupported', 501, 'engine_unsupported'],
    ['unknown_thread', 404, 'not_found'],
    ['invalid', 400, 'invalid_input'],
    ['in_use', 409, 'thread_in_use'],
  ])('%s is %i', async (kind, status, code) => {
    const { status: got, body } = await asked(outcome({ outcome: kind, message: 'words of it' }));
    expect(got).toBe(status);
    expect(body).toMatchObject({ error: 'words of it', code });
  });

  it.each([
    ['a runner that is too busy', 'busy', 503],
    ['a runner that lost its connection', 'disconnected', 503],
    ['a runner of an older version', 'UNSUPPORTED', 501],
    ['a runner that knows fewer operations', 'MALFORMED', 501],
  ])('%s is no engine', async (_what, code, status) => {
    const { status: got } = await asked({ ok: false, error: { code, message: 'no' } });
    expect(got).toBe(status);
  });

  it('refuses an answer of another shape, and passes on what it does not know', async () => {
    expect((await asked(answered({ account: 'x' }))).status).toBe(502);
    expect((await asked(answered({ nothing: 1 }))).status).toBe(502);
    const { status, body } = await asked(answered({ account: { type: 'a', new: 1 }, more: [2] }));
    expect(status).toBe(200);
    expect(body).toEqual({ account: { type: 'a', new: 1 }, more: [2], runnerId });
  });

  it('asks no more at a time than a runner answers, and goes on when these have their answers', async () => {
    const four = Array.from({ length: 4 }, () => call('GET', '/engine/account'));
    const sent = await callsOf(4);
    const fifth = await call('GET', '/engine/account');
    expect(fifth).toMatchObject({ status: 503, body: { code: 'engine_unreachable' } });
    for (const { callId } of sent) {
      const reply = answered({ account: null });
      world.deps.connections.settle(runnerId, { type: 'result', callId, ...reply });
    }
    expect((await Promise.all(four)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect((await asked(answered({ account: null }))).status).toBe(200);
  });

  it('takes a large answer', async () => {
    const text = 'x'.repeat(MAX_ENGINE_RESULT_BYTES - 100);
    const { status, body } = await asked(answered({ account: { type: 'a' }, text }));
    expect([status, body['text'] === text]).toEqual([200, true]);
  });

  it('sends the key sealed, and the provider as attempts get it', async () => {
    const { sent } = await asked(answered({ account: null }));
    expect(sent.method).toBe('engine.request');
    expect(JSON.stringify(sent)).not.toContain('provider-key');
    expect(sent.params).toMatchObject({
      operation: { op: 'account.read' },
      engine: { model: 'gpt-5.5', provider: { baseUrl: 'http://127.0.0.1:9/v1' } },
      sealedSecrets: expect.stringMatching(/^[\w-]+\.[\w-]*\.[\w-]+\.[\w-]+\.[\w-]+$/) as string,
    });
  });

  it('says in the audit what was changed, and nothing of what was not', async () => {
    const path = `/engine/threads/${THREAD}/archive`;
    await asked(outcome({ outcome: 'unknown_thread', message: 'no' }), 'POST', path);
    expect(await world.deps.db.select().from(audit)).not.toContainEqual(
      expect.objectContaining({ operation: 'engine.thread.archive' }),
    );
    expect((await asked(answered({}), 'POST', path)).status).toBe(200);
    expect(await world.deps.db.select().from(audit)).toContainEqual(
      expect.objectContaining({
        operation: 'engine.thread.archive',
        subject: THREAD,
        actor: 'local',
        details: { runnerId },
      }),
    );
  });

  it('asks nobody what says nothing', async () => {
    for (const query of ['sortKey=a%20b', 'sourceKinds=a,%3B', 'limit=501', 'cursor=']) {
      expect((await call('GET', `/engine/threads?${query}`)).status, query).toBe(400);
    }
    expect(world.core.sockets.take(runnerId)).toEqual([]);
  });

  it('keeps the key of a login where the configuration looks for it', async () => {
    const overlay = '/config/overlay/engine.provider.apiKey';
    await call('PATCH', overlay, { value: '$SECRET:MY_KEY' });
    const apiKey = 'sk-of-a-login';
    const login = await call('POST', '/engine/account/login/start', { type: 'apiKey', apiKey });
    expect(login).toEqual({
      status: 200,
      body: { type: 'apiKey', secret: 'MY_KEY', used: true, runnerId },
    });
    const { body } = await asked(answered({ account: null }));
    expect(body).toMatchObject({ account: { type: 'apiKey' } });
    expect(world.core.complaints.join()).not.toContain(apiKey);
    await asked(answered({}), 'POST', '/engine/account/logout');
    expect((await call('GET', '/secrets')).body).toMatchObject({ keys: [] });
    expect((await asked(answered({ account: null }))).body).toMatchObject({ account: null });
  });

  it('uses the key of a login while none is configured', async () => {
    await world.restart({ SERVICE_CONFIG__engine__provider__apiKey: '' });
    world.core.sockets.connect(runnerId);
    const before = await asked(answered({ account: null }));
    expect(before.sent.params).not.toHaveProperty('sealedSecrets');
    const given = { type: 'apiKey', apiKey: 'sk-of-a-login' };
    const { body } = await call('POST', '/engine/account/login/start', given);
    expect(body).toMatchObject({ secret: 'ENGINE_API_KEY', used: true });
    const after = await asked(answered({ account: null }));
    expect(after.sent.params).toHaveProperty('sealedSecrets');
  });

  it('lists models with what the provider says of them', async () => {
    const model = { id: 'gpt-5.5', name: 'GPT', description: '', reasoningEfforts: ['low'] };
    const found = answered({ data: [model], provider: ['gpt-5.5', 'other'] });
    const { status, body } = await asked(found, 'GET', '/models');
    expect([status, body]).toEqual([
      200,
      {
        models: [
          { ...model, sources: ['engine', 'provider'], isDefault: true },
          expect.objectContaining({ id: 'other', sources: ['provider'], isDefault: false }),
        ],
      },
    ]);
  });

  it('tells how a test turn went, and what to do about one that failed', async () => {
    const path = '/engines/codex/test';
    const tokens = { input: 90, cachedInput: 0, output: 10, reasoning: 0, total: 100 };
    const measured = { version: '1.2.3', startMs: 10, turnMs: 20, tokens, text: 'ready' };
    const good = await asked(outcome({ ...measured, failure: null }), 'POST', path, {});
    const known = { engine: 'codex', runnerId, model: 'gpt-5.5', account: null };
    expect(good).toMatchObject({ status: 200, body: { ...known, ...measured, failure: null } });
    expect(good.sent.method).toBe('engine.test');
    expect(good.sent.params).toMatchObject({
      engine: { name: 'codex', provider: { baseUrl: 'http://127.0.0.1:9/v1' } },
      sealedSecrets: expect.any(String) as string,
    });
    const failure = { kind: 'usage_limited', message: 'quota', resetAtMs: 1_000 };
    const bad = await asked(outcome({ ...measured, failure }), 'POST', path, {});
    expect(bad.body['failure']).toEqual({
      kind: 'usage_limited',
      message: 'quota',
      resetAt: '1970-01-01T00:00:01.000Z',
      advice: expect.stringContaining('Wait for the reset') as string,
    });
    expect(await world.deps.db.select().from(audit)).toContainEqual(
      expect.objectContaining({
        operation: 'engine.test',
        subject: 'codex',
        details: { runnerId, model: 'gpt-5.5', failure: 'usage_limited' },
      }),
    );
    const old = { ok: false, error: { code: 'UNSUPPORTED', message: 'no' } } as const;
    expect(await asked(old, 'POST', path, {})).toMatchObject({
      status: 501,
      body: { code: 'runner_too_old' },
    });
  });

  it('tests no engine that nobody knows, that no runner has or that has no provider', async () => {
    expect((await call('POST', '/engines/nothing/test', {})).status).toBe(404);
    expect((await call('POST', '/engines/codex/test', { choice: 'nothing' })).status).toBe(404);
    expect((await call('POST', '/engines/codex/test', { runner: 'run_x' })).status).toBe(404);
    const second = { name: 'second/big', engine: 'second', model: 'm' };
    await call('PATCH', '/config/overlay/engine.choices', { value: [second] });
    expect(await call('POST', '/engines/second/test', {})).toMatchObject({
      status: 503,
      body: { error: 'no connected runner has the agent engine second' },
    });
    expect(world.core.sockets.take(runnerId)).toEqual([]);
  });
});
