import { generateKeyPair, SignJWT } from 'jose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MAX_BLOB_BYTES } from '@switchyard/shared/protocol/limits';
import { createJoinToken } from '../../control-plane/src/runners/admin/create-join-token.ts';
import { type CoreWorld, createCoreWorld, PERSON } from '../support/core/core-world.ts';
import {
  createRunnerIdentity,
  type RunnerIdentity,
  type TokenFaults,
} from '../support/core/runner-identity.ts';
import { openSyncPeer } from '../support/core/runner-peers.ts';
import { type Lease, scriptRunner } from '../support/core/scripted-runner.ts';

let world: CoreWorld;
beforeEach(async () => {
  world = await createCoreWorld(openSyncPeer);
});
afterEach(() => world.close());

async function call(
  method: string,
  path: string,
  init: { token?: string | undefined; body?: BodyInit; type?: string },
) {
  const headers: Record<string, string> = { 'Content-Type': init.type ?? 'application/json' };
  if (init.token !== undefined) headers['Authorization'] = `Bearer ${init.token}`;
  const request = {
    method,
    headers,
    duplex: 'half',
    ...(init.body === undefined ? {} : { body: init.body }),
  };
  const response = await world.core.app.request(path, request, { remoteAddress: '192.0.2.7' });
  const text = await response.text();
  const json = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
  return { status: response.status, json, headers: response.headers };
}

/** A body of which nothing may be taken. */
function untouched(): { stream: ReadableStream<Uint8Array>; taken: () => number } {
  let pulls = 0;
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        pulls += 1;
        if (pulls > 1_000) return controller.close();
        controller.enqueue(new Uint8Array(65_536).fill(32));
      },
    },
    { highWaterMark: 0 },
  );
  return { stream, taken: () => pulls };
}

describe('what is looked at before a body', () => {
  it.each([
    ['POST', '/api/v1/runners/join'],
    ['POST', '/api/v1/runners/sync'],
    ['PUT', '/api/v1/runners/blobs/att_00000000abcdef/1/diff.patch'],
  ])('is the token: %s %s takes nothing of it', async (method, path) => {
    const tokens = [undefined, 'enr_unknown', 'a.b.c', 'x'.repeat(43), `enr_${'x'.repeat(43)}`];
    for (const token of tokens) {
      const { stream, taken } = untouched();
      expect((await call(method, path, { token, body: stream })).status).toBe(401);
      expect(taken()).toBe(0);
    }
  });

  it('is the length, and of a body without one no more than allowed is taken', async () => {
    const { token } = await createJoinToken(world.deps, {
      labels: [],
      expiresInMs: 60_000,
      caller: PERSON,
    });
    const { stream, taken } = untouched();
    const answer = await call('POST', '/api/v1/runners/join', { token, body: stream });
    expect(answer.status).toBe(413);
    expect(taken()).toBeLessThan(100);
  });

  it('is how often this address was refused; a good token is not refused with it', async () => {
    const { runnerId, identity } = await world.join();
    const { audience } = world.deps.service;
    const nowMs = world.clock.nowMs();
    const good = await identity.accessToken({ runnerId, audience, nowMs });
    const other = await createRunnerIdentity();
    const bad = await other.accessToken({ runnerId, audience, nowMs });
    const sync = (token: string) =>
      call('POST', '/api/v1/runners/sync', { token, body: '{"messages":[]}' });
    for (let time = 0; time < 30; time += 1) expect((await sync(bad)).status).toBe(401);
    const refused = await sync(bad);
    expect(refused).toMatchObject({ status: 429, json: { code: 'runner_failures' } });
    expect(refused.headers.get('Retry-After')).toBe('60');
    expect(
      (await call('POST', '/api/v1/runners/join', { token: 'enr_x', body: '{}' })).status,
    ).toBe(429);
    expect((await sync(good)).status).toBe(200);
    world.clock.advance(60_000);
    expect((await sync(bad)).status).toBe(401);
  });
});

describe('joining', () => {
  const join = (token: string | undefined, body: unknown) =>
    call('POST', '/api/v1/runners/join', { token, body: JSON.stringify(body) });
  const makeToken = async (labels: string[] = [], expiresInMs = 60_000) =>
    (await createJoinToken(world.deps, { labels, expiresInMs, caller: PERSON })).token;

  it('makes one runner of one token, and no second', async () => {
    const token = await makeToken(['linux']);
    const identity = await createRunnerIdentity();
    const joined = await join(token, identity.joinRequest(['linux', 'gpu']));
    expect(joined).toMatchObject({
      status: 201,
      json: { audience: world.deps.service.audience, labels: ['linux'] },
    });
    const again = await join(token, identity.joinRequest());
    expect(again.status).toBe(401);
    expect(again.headers.get('WWW-Authenticate')).toBe('Bearer');
  });

  it('makes one runner of one token that is used twice at once', async () => {
    const token = await makeToken();
    const identity = await createRunnerIdentity();
    const answers = await Promise.all([1, 2, 3].map(() => join(token, identity.joinRequest())));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(2);
  });

  it('refuses a token that is missing, unknown or too old', async () => {
    const identity = await createRunnerIdentity();
    expect((await join(undefined, identity.joinRequest())).status).toBe(401);
    expect((await join('enr_unknown', identity.joinRequest())).status).toBe(401);
    const token = await makeToken([], 60_000);
    world.clock.advance(60_000);
    expect((await join(token, identity.joinRequest())).status).toBe(401);
  });

  it('refuses keys that are unusable or private, and the token stays good', async () => {
    const token = await makeToken();
    const good = (await createRunnerIdentity()).joinRequest();
    const { signing, sealing } = good.keys;
    const faults = [
      { signing: {}, sealing },
      { signing: { ...signing, d: 'secret' }, sealing },
      { signing: sealing, sealing: { kty: 'RSA' } },
    ];
    for (const keys of faults) expect((await join(token, { ...good, keys })).status).toBe(400);
    expect((await join(token, good)).status).toBe(201);
  });
});

describe('a runner’s own token', () => {
  let runnerId: string;
  let identity: RunnerIdentity;
  beforeEach(async () => {
    ({ runnerId, identity } = await world.join());
  });
  const sync = async (token: string | undefined, messages: unknown[] = []) =>
    call('POST', '/api/v1/runners/sync', { token, body: JSON.stringify({ messages }) });
  const signed = (faults: TokenFaults = {}) => {
    const { audience } = world.deps.service;
    return identity.accessToken({ runnerId, audience, nowMs: world.clock.nowMs(), ...faults });
  };

  it('is taken for ten minutes', async () => {
    const token = await signed();
    expect((await sync(token)).status).toBe(200);
    world.clock.advance(9 * 60_000);
    expect((await sync(token)).status).toBe(200);
    world.clock.advance(3 * 60_000);
    expect((await sync(token)).status).toBe(401);
  });

  it.each([
    ['for another audience', { audience: 'switchyard:other' }],
    ['that lives too long', { lifeMs: 3_600_000 }],
    ['from the past', { issuedAtMs: Date.parse('2026-01-02T02:00:00Z') }],
    ['from the future', { issuedAtMs: Date.parse('2026-01-02T05:00:00Z') }],
    ['of an unknown runner', { subject: 'run_000000000000' }],
  ] as [string, TokenFaults][])('is refused when it is one %s', async (_words, faults) => {
    const answer = await sync(await signed(faults));
    expect(answer).toMatchObject({ status: 401, json: { status: 401 } });
    expect(answer.headers.get('WWW-Authenticate')).toBe('Bearer');
  });

  it('is refused when another key, no key or another algorithm signed it', async () => {
    const other = await createRunnerIdentity();
    const { audience } = world.deps.service;
    const nowMs = world.clock.nowMs();
    expect((await sync(await other.accessToken({ runnerId, audience, nowMs }))).status).toBe(401);
    const claims = () =>
      new SignJWT()
        .setSubject(runnerId)
        .setIssuer(runnerId)
        .setAudience(audience)
        .setIssuedAt(nowMs / 1_000)
        .setExpirationTime(nowMs / 1_000 + 60);
    const rsa = await generateKeyPair('RS256');
    expect(
      (await sync(await claims().setProtectedHeader({ alg: 'RS256' }).sign(rsa.privateKey))).status,
    ).toBe(401);
    const shared = new TextEncoder().encode('x'.repeat(32));
    expect(
      (await sync(await claims().setProtectedHeader({ alg: 'HS256' }).sign(shared))).status,
    ).toBe(401);
    const [, payload] = (await signed()).split('.');
    const none = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.`;
    for (const token of [none, 'a.b.c', '', undefined, 'write-secret']) {
      expect((await sync(token)).status).toBe(401);
    }
  });

  it('is refused once the runner is revoked', async () => {
    await world.revoke(runnerId);
    expect((await sync(await signed())).status).toBe(401);
  });

  it('answers messages nested without end with 400', async () => {
    const deep = `{"messages":[{"type":"x","a":${'['.repeat(200_000)}${']'.repeat(200_000)}}]}`;
    const answer = await call('POST', '/api/v1/runners/sync', {
      token: await signed(),
      body: deep,
    });
    expect(answer.status).toBe(400);
  });

  it('answers a request that is no frame with 400, and one that is too large with 413', async () => {
    const token = await signed();
    const post = (body: string) => call('POST', '/api/v1/runners/sync', { token, body });
    expect((await post('{')).status).toBe(400);
    expect((await post('{"messages":{}}')).status).toBe(400);
    expect(
      (await post(JSON.stringify({ messages: Array.from({ length: 300 }, () => ({})) }))).status,
    ).toBe(400);
    const padding = 'x'.repeat(1_048_576);
    expect((await post(JSON.stringify({ messages: [{ type: 'x', padding }] }))).status).toBe(413);
  });
});

describe('uploads', () => {
  let lease: Lease;
  beforeEach(async () => {
    const runner = scriptRunner(world, await world.join());
    await runner.hello();
    await world.createIssue();
    await world.tick();
    lease = await runner.accept(runner.offer());
  });
  const upload = (changes: {
    token?: string | undefined;
    epoch?: number;
    name?: string;
    body?: BodyInit;
  }) => {
    const given = {
      token: lease.token,
      epoch: lease.epoch,
      name: 'diff.patch',
      body: 'diff',
      ...changes,
    };
    const path = `/api/v1/runners/blobs/${lease.attemptId}/${given.epoch}/${given.name}`;
    return call('PUT', path, {
      token: given.token,
      body: given.body,
      type: 'application/octet-stream',
    });
  };

  it('are stored under the attempt token of their lease, the same one twice', async () => {
    const key = `attempts/${lease.attemptId}/1/diff.patch`;
    expect(await upload({})).toMatchObject({ status: 201, json: { key, bytes: 4 } });
    expect((await upload({})).status).toBe(201);
    expect(new TextDecoder().decode((await world.deps.blobs.get(key)) ?? undefined)).toBe('diff');
  });

  it('are refused with another token or epoch, and after the lease', async () => {
    for (const change of [
      { token: 'wrong' },
      { token: undefined },
      { epoch: 2 },
      { token: 'write-secret' },
    ]) {
      expect((await upload(change)).status).toBe(401);
    }
    await world.pass(100_000);
    expect((await upload({})).status).toBe(401);
  });

  it.each(['..%2f..%2fetc', 'a%2fb', 'UPPER', '.hidden', 'x'.repeat(65)])(
    'have plain names only: %s',
    async (name) => {
      const { status } = await upload({ name });
      expect([400, 404]).toContain(status);
    },
  );

  it('may have 32 MiB and not a byte more', async () => {
    const whole = new Uint8Array(MAX_BLOB_BYTES);
    expect((await upload({ name: 'whole', body: whole })).status).toBe(201);
    expect((await upload({ name: 'more', body: new Uint8Array(MAX_BLOB_BYTES + 1) })).status).toBe(
      413,
    );
    expect(await world.deps.blobs.get(`attempts/${lease.attemptId}/1/more`)).toBeNull();
  });
});
