import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CoreWorld, createCoreWorld } from '../../../../test/support/core/core-world.ts';
import { dumpTables } from '../../../../test/support/core/dump-tables.ts';
import { openFramePeer } from '../../../../test/support/core/runner-peers.ts';
import { audit } from '../../db/schema/operation/audit.ts';

const REMOTE = { remoteAddress: '192.0.2.7' };
let world: CoreWorld;
beforeEach(async () => {
  world = await createCoreWorld(openFramePeer);
});
afterEach(() => world.close());

async function call(method: string, path: string, token: string | null, body?: unknown) {
  const headers: Record<string, string> = {};
  if (token !== null) headers['Authorization'] = `Bearer ${token}`;
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  const response = await world.core.app.request(`/api/v1${path}`, init, REMOTE);
  const text = await response.text();
  const answer = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
  return { status: response.status, body: answer };
}

async function make(name: string, scope: string): Promise<{ token: string; tokenId: string }> {
  const { body } = await call('POST', '/tokens', 'write-secret', { name, scope });
  return body as { token: string; tokenId: string };
}

describe('named tokens', () => {
  it('are shown once, kept as a digest and named in the audit', async () => {
    const made = await call('POST', '/tokens', 'write-secret', { name: 'ci', scope: 'operate' });
    expect(made).toMatchObject({ status: 201, body: { name: 'ci', scope: 'operate' } });
    const token = String(made.body['token']);
    expect(token).toMatch(/^swy_.{40,}$/);
    expect(JSON.stringify(await dumpTables(world.deps.db))).not.toContain(token.slice(4));
    expect((await call('POST', '/refresh', token)).status).toBe(202);
    const rows = await world.deps.db.select().from(audit);
    expect(rows.map(({ actor, operation }) => [actor, operation])).toEqual([
      ['write-token', 'token.create'],
      ['ci', 'service.refresh'],
    ]);
  });

  it('may do what their scope says and no more', async () => {
    const changes: [string, string, unknown][] = [
      ['POST', '/refresh', undefined],
      ['PATCH', '/config/overlay/agent.maxTurns', { value: 3 }],
      ['POST', '/tokens', { name: 'more', scope: 'admin' }],
      ['POST', '/runners/tokens', {}],
    ];
    const statusesOf = async (token: string) => {
      const answers: number[] = [];
      for (const [method, path, body] of changes) {
        answers.push((await call(method, path, token, body)).status);
      }
      return answers;
    };
    const read = await make('reader', 'read');
    const operate = await make('operator', 'operate');
    const admin = await make('administrator', 'admin');
    expect(await statusesOf(read.token)).toEqual([403, 403, 403, 403]);
    expect(await statusesOf(operate.token)).toEqual([202, 403, 403, 403]);
    expect(await statusesOf(admin.token)).toEqual([202, 200, 201, 201]);
    const refused = await call('POST', '/tokens', operate.token, { name: 'x', scope: 'admin' });
    expect(refused.body).toMatchObject({ status: 403, code: 'insufficient_scope' });
  });

  it('are worth nothing once they are revoked', async () => {
    const { token, tokenId } = await make('ci', 'operate');
    expect((await call('DELETE', `/tokens/${tokenId}`, token)).status).toBe(403);
    expect((await call('DELETE', `/tokens/${tokenId}`, 'write-secret')).status).toBe(204);
    expect((await call('POST', '/refresh', token)).status).toBe(401);
    expect((await call('DELETE', `/tokens/${tokenId}`, 'write-secret')).status).toBe(404);
  });

  it('say when they were used', async () => {
    const { token, tokenId } = await make('ci', 'operate');
    const list = async () => (await call('GET', '/tokens', 'write-secret')).body;
    expect(await list()).toMatchObject({ total: 1, tokens: [{ tokenId, lastUsedAt: null }] });
    await call('GET', '/state', token);
    await expect
      .poll(async () => JSON.stringify(await list()))
      .toContain('"lastUsedAt":"2026-01-02T03:04:05.000Z"');
    expect(JSON.stringify(await list())).not.toContain('swy_');
  });

  it('refuse names that are used or mean somebody else, and unknown scopes', async () => {
    await make('ci', 'read');
    const status = async (body: unknown) =>
      (await call('POST', '/tokens', 'write-secret', body)).status;
    expect(await status({ name: 'ci', scope: 'read' })).toBe(409);
    expect(await status({ name: 'local', scope: 'read' })).toBe(400);
    expect(await status({ name: 'a b', scope: 'read' })).toBe(400);
    expect(await status({ name: 'x', scope: 'root' })).toBe(400);
    expect(await status({ name: 'x' })).toBe(400);
    expect(await status({ name: 'x', scope: 'read', extra: 1 })).toBe(400);
  });
});
