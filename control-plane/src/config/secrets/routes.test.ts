import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createConfigApp } from '../../../../test/support/config-app.ts';
import type { ConfigApp } from '../../../../test/support/config-app.ts';
import { eventChunks } from '../../db/schema/operation/events.ts';
import { secrets } from '../../db/schema/admin/secrets.ts';
import { rotateMasterKey } from './rotate-master-key.ts';

const CALLER = { actor: 'local', source: 'API', requestId: null, path: '' } as const;

describe('secrets', () => {
  let fixture: ConfigApp;
  beforeEach(async () => {
    fixture = await createConfigApp({
      variables: { SERVICE_CONFIG__engine__provider__apiKey: '$SECRET:MODEL_KEY' },
    });
  });
  afterEach(() => fixture.close());

  const set = (key: string, value: unknown) =>
    fixture.call('POST', `/api/v1/secrets/${key}`, { value });

  it('stores, lists names a page at a time, replaces and deletes', async () => {
    for (const key of ['B', 'A', 'C.d-e_1']) expect((await set(key, 'one')).status).toBe(204);
    expect((await set('A', 'two')).status).toBe(204);
    const all = await fixture.call('GET', '/api/v1/secrets');
    expect([all.status, all.body]).toEqual([200, { keys: ['A', 'B', 'C.d-e_1'], total: 3 }]);
    const page = await fixture.call('GET', '/api/v1/secrets?limit=1&offset=1');
    expect(page.body).toEqual({ keys: ['B'], total: 3 });
    expect(await fixture.resolveSecret('A')).toBe('two');
    const gone = await fixture.call('DELETE', '/api/v1/secrets/A');
    expect(gone.status).toBe(204);
    expect(await fixture.resolveSecret('A')).toBeNull();
    const again = await fixture.call('DELETE', '/api/v1/secrets/A');
    expect(again.status).toBe(404);
    expect(again.body).toMatchObject({ error: 'secret "A" not found' });
  });

  it.each([
    ['a value that is no text', 'A', 1],
    ['an empty value', 'A', ''],
    ['a value that is too long', 'A', 'x'.repeat(65_537)],
    ['half a character', 'A', 'a\ud800'],
    ['a name with a blank', 'a%20b', 'x'],
    ['a name with a slash', 'a%2Fb', 'x'],
    ['a name that begins with a dot', '.hidden', 'x'],
    ['a name that is too long', 'x'.repeat(201), 'x'],
  ])('refuses %s', async (_what, key, value) => {
    const { status, body } = await set(key, value);
    expect(status).toBe(400);
    expect(JSON.stringify(body)).not.toContain('xxxxxxxx');
    expect((await fixture.call('GET', '/api/v1/secrets')).body).toEqual({ keys: [], total: 0 });
  });

  it('refuses other fields, no body, and pages that are none', async () => {
    const extra = await fixture.call('POST', '/api/v1/secrets/A', { value: 'x', more: 1 });
    expect(extra.status).toBe(400);
    expect((await fixture.call('POST', '/api/v1/secrets/A')).status).toBeGreaterThanOrEqual(400);
    for (const query of ['limit=0', 'limit=501', 'offset=-1', 'limit=x']) {
      expect((await fixture.call('GET', `/api/v1/secrets?${query}`)).status).toBe(400);
    }
  });

  it('shows a value nowhere: rows, answers, audit, events', async () => {
    const value = 'sk-very-hidden';
    const answers = [await set('MODEL_KEY', value)];
    expect(await fixture.resolveSecret('MODEL_KEY', 'runner:run_1')).toBe(value);
    for (const path of ['secrets', 'config', 'config/overlay', 'audit']) {
      answers.push(await fixture.call('GET', `/api/v1/${path}`));
    }
    answers.push(await fixture.call('DELETE', '/api/v1/secrets/MODEL_KEY'));
    await set('MODEL_KEY', value);
    const rows = await fixture.db.select().from(secrets);
    const bytes = rows.map((row) => Buffer.from(row.ciphertext).toString('latin1')).join('');
    const seen = JSON.stringify([answers, bytes, await fixture.db.select().from(eventChunks)]);
    expect(seen).not.toContain(value);
    const config = await fixture.call('GET', '/api/v1/config');
    expect(config.body).toMatchObject({ engine: { provider: { apiKey: '$SECRET:MODEL_KEY' } } });
  });

  it('keeps a trail: set and delete each time, reads once an hour and reader', async () => {
    await set('K', 'v');
    for (const reader of ['runner:a', 'runner:a', 'runner:b', 'runner:a']) {
      await fixture.resolveSecret('K', reader);
    }
    await fixture.resolveSecret('NOT_THERE', 'runner:a');
    fixture.ports.clock.advance(3_600_000);
    await fixture.resolveSecret('K', 'runner:a');
    await fixture.call('DELETE', '/api/v1/secrets/K');
    const { body } = await fixture.call('GET', '/api/v1/audit');
    const entries = body['entries'] as { operation: string; actor: string; subject: string }[];
    expect(entries.map((entry) => [entry.operation, entry.actor, entry.subject])).toEqual([
      ['secret.delete', 'local', 'K'],
      ['secret.read', 'runner:a', 'K'],
      ['secret.read', 'runner:b', 'K'],
      ['secret.read', 'runner:a', 'K'],
      ['secret.set', 'local', 'K'],
    ]);
  });

  it('names a missing secret as a problem of the configuration until it is there', async () => {
    await fixture.config.load();
    expect(fixture.config.problems()).toMatchObject([
      { source: 'secrets', code: 'missing_secret', blocksDispatch: true },
    ]);
    expect(fixture.config.problems()[0]?.message).toContain('/api/v1/secrets/MODEL_KEY');
    await set('MODEL_KEY', 'v');
    await fixture.config.load();
    expect(fixture.config.problems()).toEqual([]);
    await set('UNRELATED', 'v');
    await fixture.call('DELETE', '/api/v1/secrets/MODEL_KEY');
    await fixture.config.load();
    expect(fixture.config.problems()).toMatchObject([{ code: 'missing_secret' }]);
    const chunks = await fixture.db.select().from(eventChunks);
    const data = { source: 'secrets', secret: 'MODEL_KEY', paths: ['engine.provider.apiKey'] };
    expect(chunks.flatMap((chunk) => chunk.items)).toMatchObject([
      { type: 'config.changed', data },
      { type: 'config.changed', data: { secret: 'UNRELATED', paths: [] } },
      { type: 'config.changed', data },
    ]);
    expect(fixture.wakes()).toBe(3);
  });

  it('moves all secrets to a new master key, and reads the old ones meanwhile', async () => {
    const old = await fixture.masterKeys.current();
    const names = Array.from({ length: 55 }, (_, index) => `K${index}`);
    for (const name of names) await set(name, `value of ${name}`);
    await fixture.masterKeys.renew?.();
    expect(await fixture.resolveSecret('K7')).toBe('value of K7');
    await set('NEW', 'new');
    const { status, body } = await fixture.call('POST', '/api/v1/master-key/rotate');
    expect([status, body['reencrypted']]).toEqual([200, 56]);
    expect(body['masterKeyId']).not.toBe(old.id);
    const rows = await fixture.db.select().from(secrets);
    expect(new Set(rows.map((row) => row.master_key_id))).toEqual(new Set([body['masterKeyId']]));
    for (const name of ['K0', 'K54']) {
      expect(await fixture.resolveSecret(name)).toBe(`value of ${name}`);
    }
    const again = await rotateMasterKey({ ...fixture.ports, ...fixture }, CALLER);
    expect(again.reencrypted).toBe(56);
  });

  it('loses no value that is set while keys are rotated', async () => {
    for (const name of ['A', 'B', 'C']) await set(name, 'old');
    await Promise.all([
      rotateMasterKey({ ...fixture.ports, ...fixture }, CALLER),
      set('A', 'new'),
      set('B', 'new'),
      set('D', 'new'),
    ]);
    const values = ['A', 'B', 'C', 'D'].map((name) => fixture.resolveSecret(name));
    expect(await Promise.all(values)).toEqual(['new', 'new', 'old', 'new']);
  });

  it('says which secret is in the way of a rotation, and changes nothing', async () => {
    await set('A', 'v');
    await fixture.db.update(secrets).set({ master_key_id: 'ffff000011112222' });
    const { status, body } = await fixture.call('POST', '/api/v1/master-key/rotate');
    expect(status).toBe(409);
    expect(body).toMatchObject({ error: expect.stringContaining('ffff000011112222') });
    expect(await fixture.resolveSecret('A')).toBeNull();
    expect(fixture.ports.complaints).toEqual(['a secret cannot be decrypted']);
  });
});
