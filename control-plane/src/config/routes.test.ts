import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createConfigApp } from '../../../test/support/config-app.ts';
import type { ConfigApp } from '../../../test/support/config-app.ts';
import { configOverlay } from '../db/schema/admin/config.ts';
import { eventChunks } from '../db/schema/operation/events.ts';
import { changeOverlay } from './overlay/change-overlay.ts';
import { patchOverlay } from './overlay/patch-overlay.ts';

const OVERLAY = '/api/v1/config/overlay';

describe('configuration routes', () => {
  let fixture: ConfigApp;
  beforeEach(async () => {
    fixture = await createConfigApp({ variables: { SERVICE_CONFIG__agent__maxTurns: '7' } });
  });
  afterEach(() => fixture.close());

  it('merges defaults, environment and overlay', async () => {
    await fixture.call('PUT', OVERLAY, { max_concurrent: 3, polling_interval_seconds: 42 });
    const { status, body } = await fixture.call('GET', '/api/v1/config');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      agent: { maxConcurrentAgents: 3, maxTurns: 7, maxContinuationAttempts: 5 },
      polling: { intervalMs: 42_000 },
      webhook: { pollingBaseMs: 15_000 },
    });
  });

  it('answers the overlay in the spelling it was given', async () => {
    const overlay = { max_concurrent: 3, agent: { stall_timeout_ms: 5 }, 'hooks.timeoutMs': 900 };
    const put = await fixture.call('PUT', OVERLAY, overlay);
    expect([put.status, put.body]).toEqual([200, overlay]);
    expect((await fixture.call('GET', OVERLAY)).body).toEqual(overlay);
  });

  it('patches one path, whatever spelling it stands in already', async () => {
    await fixture.call('PUT', OVERLAY, { max_concurrent: 3, agent: { max_turns: 4 } });
    const patched = await fixture.call('PATCH', `${OVERLAY}/agent.maxTurns`, { value: 9 });
    expect(patched.body).toEqual({ max_concurrent: 3, agent: { maxTurns: 9 } });
    const other = await fixture.call('PATCH', `${OVERLAY}/polling_interval_seconds`, { value: 20 });
    expect(other.body).toEqual({ ...patched.body, polling_interval_seconds: 20 });
    const again = await fixture.call('PATCH', `${OVERLAY}/polling.intervalMs`, { value: 500 });
    expect(again.body).toEqual({ ...patched.body, 'polling.intervalMs': 500 });
    const whole = await fixture.call('PATCH', `${OVERLAY}/agent`, { value: { maxTurns: 2 } });
    expect(whole.body).toEqual({ 'polling.intervalMs': 500, agent: { maxTurns: 2 } });
  });

  it('deletes a path in either spelling, and a top-level key with all below it', async () => {
    await fixture.call('PUT', OVERLAY, { max_concurrent: 3, agent: { maxTurns: 4 }, limits: {} });
    const one = await fixture.call('DELETE', `${OVERLAY}/agent.max_turns`);
    expect([one.status, one.body]).toEqual([200, { max_concurrent: 3, limits: {} }]);
    expect((await fixture.call('DELETE', `${OVERLAY}/agent`)).body).toEqual({ limits: {} });
    expect((await fixture.call('DELETE', `${OVERLAY}/agent`)).status).toBe(404);
    expect((await fixture.call('DELETE', `${OVERLAY}/no.such.key`)).status).toBe(404);
  });

  it('decodes a percent-encoded path', async () => {
    const path = `${OVERLAY}/${encodeURIComponent('agent.maxConcurrentAgentsByState.In Review')}`;
    expect((await fixture.call('PATCH', path, { value: 2 })).status).toBe(200);
    const { agent } = await fixture.config.load();
    expect(agent.maxConcurrentAgentsByState).toEqual({ 'in review': 2 });
  });

  it.each([
    ['an unknown key', { agent: { maxTurn: 4 } }, 'unknown configuration key "agent.maxTurn"'],
    ['a wrong type', { 'agent.maxTurns': 'many' }, 'agent.maxTurns: '],
    ['an http webhook address', { webhook: { webhookUrl: 'http://a.example' } }, 'https'],
    ['a key given twice', { max_concurrent: 2, agent: { maxConcurrentAgents: 3 } }, 'twice'],
    ['an unusable repository', { repos: [{ prefix: 'A-', url: 'ext::sh' }] }, 'repos.0.url'],
    ['a key under a value', { agent: 5, 'agent.maxTurns': 3 }, 'twice'],
    ['a refused name', JSON.parse('{"agent": {"__proto__": 1}}'), '__proto__'],
    ['a refused name at the top', JSON.parse('{"__proto__": {"agent": {}}}'), '__proto__'],
    ['a refused name in a list', JSON.parse('{"repos": [{"__proto__": 1}]}'), '__proto__'],
    ['a refused dotted name', { 'retention.constructor.x': 1 }, 'constructor'],
    ['an unknown key of a provider', { 'tracker.linear.nope': 1 }, 'tracker.linear.nope'],
    [
      'a dialect that no engine speaks',
      { 'engine.provider.wire_api': 'chat' },
      'does not speak "chat"',
    ],
    ['a malformed reference', { 'triggers.apiKey': '$SECRET:a b' }, '$SECRET:NAME'],
    ['a placeholder for nothing', { 'triggers.apiKey': '[redacted]' }, 'triggers.apiKey'],
    ['deep nesting', { retention: nested(200) }, 'nested deeper'],
  ])('refuses %s and changes nothing', async (_name, overlay, words) => {
    const { status, body } = await fixture.call('PUT', OVERLAY, overlay);
    expect(status).toBe(400);
    expect(body).toMatchObject({ status: 400, error: expect.stringContaining(words) });
    expect((await fixture.call('GET', OVERLAY)).body).toEqual({});
  });

  it('refuses alert rules over events that do not exist, and keeps those that are stored', async () => {
    const rule = (event: string) => ({ name: event, condition: { event }, threshold: 3 });
    const path = `${OVERLAY}/alerts.rules`;
    const refused = await fixture.call('PATCH', path, { value: [rule('no.such.event')] });
    expect(refused.status).toBe(400);
    expect(refused.body).toMatchObject({
      error: expect.stringMatching(/"no\.such\.event" is not a type of event.*attempt\.ended, /),
      details: [expect.objectContaining({ path: 'alerts.rules.0.condition.event' })],
    });
    // As an older version has taken it.
    const older = { alerts: { rules: [rule('no.such.event')] } };
    await fixture.db
      .insert(configOverlay)
      .values({ id: 1, version: 1, value: older, updated_at_ms: 1 });
    fixture.config.expire();
    expect((await fixture.config.load()).alerts.rules).toHaveLength(1);
    const other = await fixture.call('PATCH', `${OVERLAY}/agent.maxTurns`, { value: 4 });
    expect(other.status).toBe(200);
    const further = [rule('no.such.event'), rule('attempt.ended')];
    expect((await fixture.call('PATCH', path, { value: further })).status).toBe(200);
    const second = [...further, rule('attempt.ende')];
    expect((await fixture.call('PATCH', path, { value: second })).status).toBe(400);
  });

  it('refuses paths that reach a prototype, and bodies without a value', async () => {
    for (const path of ['__proto__.x', 'agent.constructor', 'prototype', 'agent..x']) {
      expect((await fixture.call('PATCH', `${OVERLAY}/${path}`, { value: 1 })).status).toBe(400);
      expect((await fixture.call('DELETE', `${OVERLAY}/${path}`)).status).toBe(400);
    }
    expect((await fixture.call('PATCH', `${OVERLAY}/agent.maxTurns`, {})).status).toBe(400);
    expect((await fixture.call('PATCH', `${OVERLAY}/agent.maxTurns`, { value: null })).status).toBe(
      400,
    );
    expect((await fixture.call('PUT', OVERLAY, [1])).status).toBe(400);
  });

  it('refuses nesting without end, and a replacement by nothing', async () => {
    await fixture.call('PUT', OVERLAY, { max_concurrent: 2 });
    const send = async (method: string, path: string, init: RequestInit) =>
      (await fixture.app.request(path, { method, ...init }, { remoteAddress: '127.0.0.1' })).status;
    const depth = 80_000;
    const deep = `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
    const headers = { 'Content-Type': 'application/json' };
    const wrapped = `{"value":${deep}}`;
    expect(await send('PUT', OVERLAY, { body: deep, headers })).toBe(400);
    expect(await send('PATCH', `${OVERLAY}/retention`, { body: wrapped, headers })).toBe(400);
    expect(await send('PUT', OVERLAY, {})).toBe(415);
    expect(await send('PUT', OVERLAY, { headers })).toBe(400);
    expect((await fixture.call('GET', OVERLAY)).body).toEqual({ max_concurrent: 2 });
  });

  it('never shows a secret, and keeps it when the placeholder comes back', async () => {
    const baseUrl = 'https://me:hidden@models.example/v1';
    const provider = { apiKey: 'sk-hidden', name: 'p', baseUrl };
    const put = await fixture.call('PUT', OVERLAY, {
      engine: { provider },
      'notifications.slack.webhookUrl': 'https://chat.example/T0/hidden',
      triggers: { apiKey: '$SECRET:TRIGGER' },
    });
    expect(put.body).toEqual({
      engine: { provider: { apiKey: '[redacted]', name: 'p', baseUrl: '[redacted]' } },
      'notifications.slack.webhookUrl': '[redacted]',
      triggers: { apiKey: '$SECRET:TRIGGER' },
    });
    const answers = [put, await fixture.call('GET', '/api/v1/config')];
    await fixture.call('PUT', OVERLAY, put.body);
    await fixture.call('PATCH', `${OVERLAY}/engine.provider`, {
      value: { apiKey: '[redacted]', name: 'q', baseUrl: '[redacted]' },
    });
    const config = await fixture.config.load();
    expect(config.engine.provider).toMatchObject({ apiKey: 'sk-hidden', name: 'q', baseUrl });
    expect(config.notifications.channels).toMatchObject([{ type: 'chat', name: 'slack' }]);
    answers.push(await fixture.call('GET', '/api/v1/audit'));
    const shown = JSON.stringify([...answers, await fixture.db.select().from(eventChunks)]);
    expect(shown).not.toContain('hidden');
  });

  it('writes audit row and event with each change, and none with a refused one', async () => {
    await fixture.call('PUT', OVERLAY, { 'agent.maxTurns': 5 });
    await fixture.call('PUT', OVERLAY, { 'agent.maxTurns': 'x' });
    await fixture.call('PATCH', `${OVERLAY}/max_concurrent`, { value: 2 });
    const { body } = await fixture.call('GET', '/api/v1/audit');
    expect(body).toMatchObject({
      total: 2,
      entries: [
        { operation: 'config.patch', subject: 'max_concurrent', actor: 'local', source: 'API' },
        { operation: 'config.replace', details: { version: 1, paths: ['agent.maxTurns'] } },
      ],
    });
    const chunks = await fixture.db.select().from(eventChunks);
    expect(chunks.flatMap((chunk) => chunk.items)).toMatchObject([
      { type: 'config.changed', data: { paths: ['agent.maxTurns'] } },
      { type: 'config.changed', data: { paths: ['agent.maxConcurrentAgents'] } },
    ]);
    expect(fixture.notified()).toBe(2);
    expect(fixture.wakes()).toBe(2);
  });

  it('loses no change when writers race', async () => {
    const { ports, db, config } = fixture;
    const deps = { ...ports, db, config, wake: () => undefined };
    const caller = { actor: 'local', source: 'API', requestId: null, path: '' } as const;
    let raced = false;
    await changeOverlay(deps, {
      caller,
      operation: 'config.patch',
      subject: null,
      change: (overlay) => ({ ...overlay, 'agent.maxTurns': 6 }),
    });
    const racing: Promise<unknown>[] = [];
    await changeOverlay(deps, {
      caller,
      operation: 'config.patch',
      subject: null,
      change: (overlay) => {
        if (!raced)
          racing.push(patchOverlay(deps, { caller, path: 'hooks.timeoutMs', value: 700 }));
        raced = true;
        return { ...overlay, 'limits.apiPerMinute': 9 };
      },
    });
    await Promise.all(racing);
    expect((await fixture.call('GET', OVERLAY)).body).toEqual({
      'agent.maxTurns': 6,
      'hooks.timeoutMs': 700,
      'limits.apiPerMinute': 9,
    });
    const rows = await fixture.db.select().from(eventChunks);
    expect(rows).toHaveLength(3);
  });

  it('describes itself as a JSON schema whose examples are valid', async () => {
    const { body } = await fixture.call('GET', '/api/v1/config/schema');
    expect(body).toMatchObject({ type: 'object', properties: { agent: {} } });
    const examples = body['examples'] as Record<string, unknown>[];
    expect(examples.map((example) => fixture.config.evaluate(example).ok)).toEqual(
      examples.map(() => true),
    );
  });
});

function nested(depth: number): unknown {
  return depth === 0 ? 1 : { a: nested(depth - 1) };
}
