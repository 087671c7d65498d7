import { createHmac, hash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dumpTables } from '../support/core/dump-tables.ts';
import { type Plane, startPlane } from '../support/fronts/start-plane.ts';

const READ = 'a-read-token-of-the-test';
const WRITE = 'a-write-token-of-the-test';
/** As a proxy that says so passes requests on: from elsewhere. */
const FROM_ELSEWHERE = { 'x-forwarded-for': '192.0.2.7' };
const CHANGE = { method: 'POST', path: '/api/v1/runners/tokens', body: {} };

let folder: string;
let plane: Plane | null = null;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchyard-sessions-'));
});
afterEach(async () => {
  await plane?.close();
  plane = null;
  await rm(folder, { recursive: true, force: true });
});

async function start(env: Record<string, string>): Promise<Plane> {
  await plane?.close();
  plane = await startPlane(env, folder);
  return plane;
}

async function signIn({ ask }: Plane, token: string): Promise<string> {
  const path = '/api/v1/session';
  const answer = await ask({ method: 'POST', path, body: { token }, headers: FROM_ELSEWHERE });
  expect(answer.status, answer.body).toBe(200);
  return String(answer.headers['set-cookie']).split(';')[0] ?? '';
}

const status = async ({ ask }: Plane, cookie: string, what: object = { path: '/api/v1/state' }) =>
  (await ask({ path: '', ...what, headers: { ...FROM_ELSEWHERE, cookie } })).status;

/** The cookie of an administrator, signed with whatever the key is thought to be. */
function forgedCookie(key: string, more: object = {}): string {
  const endsAtMs = Date.now() + 86_400_000;
  const value = JSON.stringify({ name: 'write-token', scope: 'admin', endsAtMs, ...more });
  const mac = createHmac('sha256', key).update(value).digest('base64');
  return `switchyard_session=${encodeURIComponent(`${value}.${mac}`)}`;
}

describe('session cookies', () => {
  it('cannot be forged by somebody who knows the read token', async () => {
    const here = await start({ SERVICE_READ_TOKEN: READ });
    const guesses = [
      hash('sha256', JSON.stringify(['switchyard session', '', READ])),
      hash('sha256', JSON.stringify(['switchyard session', READ])),
      hash('sha256', READ),
      READ,
      '',
    ];
    for (const key of guesses) {
      for (const more of [
        {},
        { credential: '' },
        { name: 'local', local: true, credential: READ },
      ]) {
        const cookie = forgedCookie(key, more);
        expect(await status(here, cookie, CHANGE)).toBe(403);
        expect(await status(here, cookie)).toBe(401);
      }
    }
  });

  it('outlive a restart, also of a service without tokens', async () => {
    let here = await start({ SERVICE_READ_TOKEN: READ, SERVICE_WRITE_TOKEN: WRITE });
    const cookie = await signIn(here, WRITE);
    here = await start({ SERVICE_READ_TOKEN: READ, SERVICE_WRITE_TOKEN: WRITE });
    expect(await status(here, cookie, CHANGE)).toBe(201);
    here = await start({ SERVICE_TRUST_LOOPBACK: '0' });
    const opened = new URL(await here.openingUrl());
    const code = new URLSearchParams(opened.hash.slice(1)).get('code');
    const begun = await here.ask({ method: 'POST', path: '/api/v1/session', body: { code } });
    const local = String(begun.headers['set-cookie']).split(';')[0] ?? '';
    here = await start({ SERVICE_TRUST_LOOPBACK: '0' });
    expect((await here.ask({ ...CHANGE, headers: { cookie: local } })).status).toBe(201);
    expect((await here.ask(CHANGE)).status).toBe(401);
  });

  it('end when their token changes and stay when another does', async () => {
    let here = await start({ SERVICE_READ_TOKEN: READ, SERVICE_WRITE_TOKEN: WRITE });
    const [reader, writer] = [await signIn(here, READ), await signIn(here, WRITE)];
    here = await start({ SERVICE_READ_TOKEN: READ, SERVICE_WRITE_TOKEN: `${WRITE}-2` });
    expect(await status(here, reader)).toBe(200);
    expect(await status(here, writer)).toBe(401);
  });

  it('all end when an administrator says so, which is audited', async () => {
    const here = await start({ SERVICE_READ_TOKEN: READ, SERVICE_WRITE_TOKEN: WRITE });
    const cookies = [await signIn(here, READ), await signIn(here, WRITE)];
    const everywhere = { method: 'DELETE', path: '/api/v1/sessions' };
    expect(await status(here, cookies[0] ?? '', everywhere)).toBe(403);
    expect(await status(here, cookies[1] ?? '', everywhere)).toBe(204);
    for (const cookie of cookies) expect(await status(here, cookie)).toBe(401);
    const headers = { authorization: `Bearer ${WRITE}` };
    const { body } = await here.ask({ path: '/api/v1/audit', headers });
    const { entries } = JSON.parse(body) as { entries: { operation: string; actor: string }[] };
    expect(entries).toContainEqual(
      expect.objectContaining({ operation: 'session.end_all', actor: 'write-token' }),
    );
    expect(await status(here, await signIn(here, READ))).toBe(200);
  });

  it('stay valid under another master key, and their secret is in no list', async () => {
    const here = await start({ SERVICE_READ_TOKEN: READ, SERVICE_WRITE_TOKEN: WRITE });
    const cookie = await signIn(here, WRITE);
    const headers = { authorization: `Bearer ${WRITE}` };
    const rotated = await here.ask({ method: 'POST', path: '/api/v1/master-key/rotate', headers });
    expect(JSON.parse(rotated.body)).toMatchObject({ reencrypted: 1 });
    expect(await status(here, cookie, CHANGE)).toBe(201);
    const listed = await here.ask({ path: '/api/v1/secrets', headers });
    expect(JSON.parse(listed.body)).toEqual({ keys: [], total: 0 });
    const name = encodeURIComponent('service:session-secret');
    const remove = { method: 'DELETE', path: `/api/v1/secrets/${name}`, headers };
    expect((await here.ask(remove)).status).toBe(404);
    const set = { method: 'POST', path: `/api/v1/secrets/${name}`, body: { value: 'x' }, headers };
    expect((await here.ask(set)).status).toBe(400);
    expect(await status(here, cookie)).toBe(200);
  });

  it('are written nowhere, nor is what they were begun with', async () => {
    const here = await start({ SERVICE_READ_TOKEN: READ, SERVICE_WRITE_TOKEN: WRITE });
    const cookie = decodeURIComponent(await signIn(here, WRITE));
    const mac = cookie.slice(cookie.lastIndexOf('.') + 1);
    const rows = JSON.stringify(await dumpTables(here.deps.db));
    for (const text of [mac, WRITE, READ, await here.localSecret()]) {
      expect(text).not.toBe('');
      expect(rows).not.toContain(text);
    }
  });
});
