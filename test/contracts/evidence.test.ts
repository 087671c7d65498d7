import { createHash } from 'node:crypto';
import type { AttemptEvidence } from '@switchyard/shared/evidence/attempt-evidence';
import { describe, expect, it } from 'vitest';
import { createSessionSecret } from '../../control-plane/src/admin/secrets/session-secret.ts';
import { createApp } from '../../control-plane/src/app.ts';
import { environmentTokens } from '../../control-plane/src/http/caller/tokens.ts';
import { createSessions } from '../../control-plane/src/http/sessions/sessions.ts';
import { createSignInCodes } from '../../control-plane/src/http/sessions/sign-in-codes.ts';
import { callCore } from '../support/core/call-core.ts';
import type { Lease } from '../support/core/scripted-runner.ts';
import type { Core } from '../support/core/start-core.ts';
import { useCoreWorlds } from '../support/core/use-core-worlds.ts';
import { type RunningScene, sceneWithRunner } from './runner-protocol/scene.ts';

const make = useCoreWorlds();
const ROUTE = { prefix: 'SY', url: 'file:///srv/repositories/shop' };
const EVIDENCE = { scope: ['src/**', 'docs/*.md'], artifacts: 'test-results' };
const PNG = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0xff]);
const HTML = '<script>alert(document.domain)</script>';

/** An attempt under a lease; its repository declares a scope and a folder for files. */
async function sceneWithEvidence(route: Record<string, unknown> = EVIDENCE): Promise<RunningScene> {
  const repos = JSON.stringify([{ ...ROUTE, ...route }]);
  const scene = await sceneWithRunner(make, { variables: { SERVICE_CONFIG__repos: repos } });
  const identifier = await scene.world.createIssue();
  await scene.world.tick();
  const lease = await scene.runner.accept(scene.runner.offer());
  await scene.world.tick();
  return { ...scene, identifier, lease };
}

const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex');

/** A file as the runner tells of it; `bytes` are not stored yet. */
function file({ attemptId, epoch }: Lease, path: string, bytes: Uint8Array | string, type: string) {
  const hash = sha256(bytes);
  return {
    path,
    type,
    sha256: hash,
    bytes: Buffer.byteLength(bytes),
    blob: `attempts/${attemptId}/${epoch}/artifact-${hash.slice(0, 32)}`,
  };
}
type File = ReturnType<typeof file>;

const told = (files: File[], leftOut = 0) => ({ kind: 'artifacts', payload: { files, leftOut } });

/** Stores a file and gives what is told of it. */
async function upload(
  { world, lease }: RunningScene,
  path: string,
  bytes: Uint8Array<ArrayBuffer> | string,
  type = 'text/plain',
): Promise<File> {
  const stored = file(lease, path, bytes, type);
  const answer = await world.core.app.request(`/api/v1/runners/blobs/${stored.blob.slice(9)}`, {
    method: 'PUT',
    headers: { Authorization: `Bearer ${lease.token}` },
    body: bytes,
  });
  expect(answer.status).toBe(201);
  return stored;
}

async function evidenceOf({ world, lease }: RunningScene): Promise<AttemptEvidence> {
  const path = `/api/v1/attempts/${lease.attemptId}/evidence`;
  const { status, body } = await callCore(world, 'GET', path);
  expect(status).toBe(200);
  return body;
}

async function get({ world }: RunningScene, path: string, headers: Record<string, string> = {}) {
  const request = { headers: { Host: '127.0.0.1:4000', ...headers } };
  return world.core.app.request(`http://127.0.0.1:4000${path}`, request, {
    remoteAddress: '127.0.0.1',
  });
}

/** The same service where reads need a token too. */
function appWithReadToken({ world: { core, deps } }: RunningScene): Core['app'] {
  const sessionSecret = createSessionSecret(deps);
  return createApp(deps, {
    sessions: createSessions(deps.clock, sessionSecret),
    sessionSecret,
    codes: createSignInCodes(deps),
    policy: {
      tokens: environmentTokens({ writeToken: 'write-secret', readToken: 'read-secret' }),
      allowedHosts: [],
      limits: async () => (await deps.config.load()).limits,
    },
    localTracker: core.localTracker,
  });
}

const urlOf = ({ lease }: RunningScene, { sha256: hash }: File) =>
  `/api/v1/attempts/${lease.attemptId}/artifacts/${hash}`;

describe('the evidence of an attempt', () => {
  it('is declared by the route, and told to runner and agent', async () => {
    const { world, lease } = await sceneWithEvidence();
    const { spec } = await world.attempt(lease.attemptId);
    expect(spec).toMatchObject(EVIDENCE);
    for (const prompt of [spec.prompt, spec.continuationPrompt]) {
      expect(prompt).toContain('Keep your changes to ` src/** `, ` docs/*.md `.');
      expect(prompt).toContain('in ` test-results/ `; at most 20 files, 5 MiB each.');
    }
  });

  it('has the files that the agent left, each with an address of its bytes', async () => {
    const scene = await sceneWithEvidence();
    const { runner, lease } = scene;
    const png = await upload(scene, 'shots/home.png', PNG, 'image/png');
    const log = await upload(scene, 'run.log', 'all well');
    await runner.events(lease, told([png, log], 3));
    const { files, filesLeftOut } = await evidenceOf(scene);
    expect(filesLeftOut).toBe(3);
    expect(files).toEqual([
      { path: 'shots/home.png', bytes: 10, type: 'image/png', url: urlOf(scene, png) },
      { path: 'run.log', bytes: 8, type: 'text/plain', url: urlOf(scene, log) },
    ]);
    const answer = await get(scene, urlOf(scene, png));
    expect(answer.status).toBe(200);
    expect(new Uint8Array(await answer.arrayBuffer())).toEqual(PNG);
    await runner.events(lease, told([log]));
    expect((await evidenceOf(scene)).files).toMatchObject([{ path: 'run.log' }]);
    expect((await get(scene, urlOf(scene, png))).status).toBe(404);
  });
});

describe('a file that an agent left', () => {
  it('never acts on the origin of the service, whatever is in it', async () => {
    const scene = await sceneWithEvidence();
    const html = await upload(scene, 'reports/<a>"ü.html', HTML);
    const svg = await upload(scene, 'logo.svg', `<svg onload="alert(1)"/>`);
    const png = await upload(scene, 'a.png', PNG, 'image/png');
    const bin = await upload(scene, '...zip', new Uint8Array([1, 0]), 'application/octet-stream');
    await scene.runner.events(scene.lease, told([html, svg, png, bin]));
    const answers = await Promise.all(
      [html, svg, png, bin].map((each) => get(scene, urlOf(scene, each))),
    );
    for (const { status, headers } of answers) {
      expect(status).toBe(200);
      expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
      expect(headers.get('Content-Security-Policy')).toBe(
        "sandbox; default-src 'none'; frame-ancestors 'none'",
      );
      expect(headers.get('Cross-Origin-Resource-Policy')).toBe('same-origin');
      expect(headers.get('Cache-Control')).toBe('private, max-age=31536000, immutable');
    }
    const shown = answers.map(({ headers }) => headers.get('Content-Type'));
    expect(shown).toEqual([
      'text/plain; charset=utf-8',
      'text/plain; charset=utf-8',
      'image/png',
      'application/octet-stream',
    ]);
    expect(answers.map(({ headers }) => headers.get('Content-Disposition'))).toEqual([
      `inline; filename="_a___.html"; filename*=UTF-8''_a__%C3%BC.html`,
      `inline; filename="logo.svg"; filename*=UTF-8''logo.svg`,
      `inline; filename="a.png"; filename*=UTF-8''a.png`,
      `attachment; filename="_zip"; filename*=UTF-8''_zip`,
    ]);
    expect(answers[2]?.headers.get('Content-Length')).toBe('10');
    expect(await answers[0]?.text()).toBe(HTML);
    const saved = await get(scene, `${urlOf(scene, png)}?download=1`);
    expect(saved.headers.get('Content-Disposition')).toMatch(/^attachment; filename="a.png"/);
  });

  it('is read by those who may read the rest, and loaded by no other page', async () => {
    const scene = await sceneWithEvidence();
    const png = await upload(scene, 'a.png', PNG, 'image/png');
    await scene.runner.events(scene.lease, told([png]));
    const app = appWithReadToken(scene);
    const status = async (token?: string) => {
      const headers = new Headers(
        token === undefined ? [] : [['Authorization', `Bearer ${token}`]],
      );
      const url = `https://switchyard.example${urlOf(scene, png)}`;
      return (await app.request(url, { headers }, { remoteAddress: '192.0.2.7' })).status;
    };
    expect([await status(), await status('wrong'), await status('read-secret')]).toEqual([
      401, 401, 200,
    ]);
    const byPage = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors' };
    const loaded = await get(scene, urlOf(scene, png), { ...byPage, 'Sec-Fetch-Dest': 'image' });
    expect(loaded.status).toBe(403);
  });

  it('has known secrets taken out of its text', async () => {
    const scene = await sceneWithEvidence();
    const secret = 'sk-very-secret-value';
    scene.world.deps.redactor.hide(secret);
    const log = await upload(scene, 'run.log', `key ${secret}`);
    await scene.runner.events(scene.lease, told([log]));
    expect(await (await get(scene, urlOf(scene, log))).text()).toBe('key [redacted]');
  });

  it('is not answered where its runner lied about its length', async () => {
    const scene = await sceneWithEvidence();
    const png = await upload(scene, 'a.png', PNG, 'image/png');
    for (const bytes of [9, 11]) {
      await scene.runner.events(scene.lease, told([{ ...png, bytes }]));
      const answer = await get(scene, urlOf(scene, png));
      await expect(answer.arrayBuffer()).rejects.toThrow('does not have the');
    }
  });

  it('is told as gone where it is not kept', async () => {
    const scene = await sceneWithEvidence();
    const never = file(scene.lease, 'a.txt', 'never stored', 'text/plain');
    await scene.runner.events(scene.lease, told([never]));
    const words = async (path: string) => {
      const answer = await get(scene, path);
      expect(answer.status).toBe(404);
      return JSON.stringify(await answer.json());
    };
    expect(await words(urlOf(scene, never))).toContain('retention.blobsDays');
    expect(await words(urlOf(scene, never).replace(/.{64}$/, '0'.repeat(64)))).toContain(
      '/evidence',
    );
    expect(await words(urlOf(scene, never).replace(/att_[^/]*/, 'att_unknown'))).toContain(
      'attempt att_unknown not found',
    );
  });
});
