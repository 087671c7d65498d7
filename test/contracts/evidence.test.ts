import { createHash } from 'node:crypto';
import type { AttemptEvidence } from '@switchyard/shared/evidence/attempt-evidence';
import type { IssuePullRequest } from '@switchyard/shared/api/work/pull-request';
import type { HumanRequest } from '@switchyard/shared/api/work/request';
import { describe, expect, it } from 'vitest';
import { createSessionSecret } from '../../control-plane/src/admin/secrets/session-secret.ts';
import { createApp } from '../../control-plane/src/app.ts';
import { environmentTokens } from '../../control-plane/src/http/caller/tokens.ts';
import { createSessions } from '../../control-plane/src/http/sessions/sessions.ts';
import { createSignInCodes } from '../../control-plane/src/http/sessions/sign-in-codes.ts';
import { blobs } from '../../control-plane/src/db/schema/operation/events.ts';
import { pullRequests } from '../../control-plane/src/db/schema/work/pull-requests.ts';
import { sweepRetention } from '../../control-plane/src/jobs/sweep-retention.ts';
import { callCore } from '../support/core/call-core.ts';
import { DELIVERY, type Lease } from '../support/core/scripted-runner.ts';
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

const answered = (scene: RunningScene, requestId: string, answers: Record<string, string[]>) =>
  callCore(scene.world, 'POST', `/api/v1/requests/${requestId}/answer`, { answers });

/** The agent asks, and gives the id of the request. */
async function ask(scene: RunningScene, more: Record<string, unknown> = {}): Promise<string> {
  const { world, runner, lease } = scene;
  const question = { id: 'q', header: 'Colour', question: 'Which colour?', options: [] };
  const requestId = `engine-${lease.seq}`;
  const questions = [{ ...question, isSecret: false, ...more }];
  await runner.events(lease, { kind: 'request', payload: { requestId, turnId: 't1', questions } });
  const { body } = await callCore(world, 'GET', '/api/v1/requests?state=asked');
  const { requests } = body as { requests: HumanRequest[] };
  const asked = requests.find((each) => each.questions[0]?.question === questions[0]?.question);
  if (asked === undefined) throw new Error('nothing was asked');
  return asked.requestId;
}

async function bodyOf({ world, identifier }: RunningScene): Promise<string> {
  const { body } = await callCore(world, 'GET', `/api/v1/${identifier}/pull-request`);
  return (body as IssuePullRequest).pullRequest.body;
}

async function deliver(scene: RunningScene, more: object = {}): Promise<void> {
  const delivery = { ...DELIVERY, ...more };
  await scene.runner.finish(scene.lease, { marker: 'DONE', delivery });
  await scene.world.tick();
  expect(await scene.world.issue(scene.identifier)).toMatchObject({ status: 'completed' });
}

const TOKENS = { input: 10, cachedInput: 0, output: 5, reasoning: 0, total: 15 };
const OUTSIDE = { files: 2, paths: ['lib/a.ts', 'b\u202e.md'] };

describe('evidence beside a pull request', () => {
  it('tells size, scope, attempts, questions and files of the work', async () => {
    const scene = await sceneWithEvidence();
    const { world, runner } = scene;
    await answered(scene, await ask(scene), { q: ['Blue', 'or green'] });
    await runner.events(scene.lease, { kind: 'usage', payload: { totals: TOKENS, own: TOKENS } });
    await runner.finish(scene.lease, { outcome: 'failed', failureKind: 'agent_error' });
    await world.pass(60_000);
    scene.lease = await runner.accept(runner.offer());
    const png = await upload(scene, 'home.png', PNG, 'image/png');
    await runner.events(
      scene.lease,
      { kind: 'usage', payload: { totals: TOKENS, own: TOKENS } },
      told([png]),
    );
    await deliver(scene, { outsideScope: OUTSIDE });
    expect(await evidenceOf(scene)).toMatchObject({
      changes: { files: 1, insertions: 2, deletions: 0 },
      outsideScope: { files: 2, paths: ['lib/a.ts', 'b.md'] },
      attempts: [
        { number: 1, status: 'failed' },
        { number: 2, status: 'completed', outcome: 'completed' },
      ],
      attemptCount: 2,
      usage: { tokens: 30 },
      questions: [{ question: 'Which colour?', answer: 'Blue, or green', answeredBy: 'local' }],
      questionCount: 1,
      files: [{ path: 'home.png' }],
    });
    const body = await bodyOf(scene);
    expect(body).toContain(
      [
        '## How it was made',
        '',
        '- 1 file changed (+2 −0)',
        '- 2 files are outside the declared scope: ` lib/a.ts `, ` b.md `',
        '- 2 attempts',
        '- 1 question asked, 1 answered',
        '- Files that the agent left for review:',
        `  - [\` home.png \`](<http://127.0.0.1:4000${urlOf(scene, png)}>) (10 B)`,
      ].join('\n'),
    );
    expect(body).not.toMatch(/tokens|green/);
    const comments = await callCore(
      world,
      'GET',
      `/api/v1/local/issues/${scene.identifier}/comments`,
    );
    expect(JSON.stringify(comments.body)).toContain(
      '1 file changed (+2 −0), 2 outside the declared scope. 2 attempts, 1 question answered, 1 file left for review.',
    );
    // Of an attempt, only what was up to it.
    const [first] = (await evidenceOf(scene)).attempts;
    scene.lease = { ...scene.lease, attemptId: first?.attemptId ?? '' };
    expect(await evidenceOf(scene)).toMatchObject({
      changes: null,
      outsideScope: null,
      attemptCount: 1,
      usage: { tokens: 15 },
      files: [],
    });
  });

  it('has usage and what was said where the route says so, without secrets', async () => {
    const scene = await sceneWithEvidence({ ...EVIDENCE, evidence: 'full' });
    scene.world.deps.redactor.hide('hunter2-of-the-shop');
    await answered(scene, await ask(scene), { q: ['hunter2-of-the-shop'] });
    await answered(scene, await ask(scene, { question: 'Which key?', isSecret: true }), {
      q: ['s3cret-answer'],
    });
    await ask(scene, { question: 'Anybody?' });
    await scene.runner.events(scene.lease, {
      kind: 'usage',
      payload: { totals: TOKENS, own: TOKENS },
    });
    await deliver(scene);
    const body = await bodyOf(scene);
    expect(body).toContain('- 3 questions asked, 2 answered');
    expect(body).toContain('- 15 tokens');
    expect(body).toMatch(/Answered by local:\n\n> .*redacted/);
    expect(body).toContain('Answered by local; the answer is a secret.');
    expect(body).toContain('> Anybody?\n\nNobody answered.');
    const told = JSON.stringify(await evidenceOf(scene));
    expect(body + told).not.toMatch(/hunter2|s3cret/);
    expect((await evidenceOf(scene)).questions).toMatchObject([
      { answer: '[redacted]' },
      { question: 'Which key?', answer: null, answeredBy: 'local' },
      { question: 'Anybody?', answer: null, answeredBy: null },
    ]);
  });

  it('is there for work of a runner that tells nothing of it', async () => {
    const scene = await sceneWithEvidence();
    await deliver(scene);
    expect(await evidenceOf(scene)).toMatchObject({
      changes: { files: 1 },
      outsideScope: null,
      files: [],
      filesLeftOut: 0,
    });
    expect(await bodyOf(scene)).toContain('## How it was made\n\n- 1 file changed (+2 −0)\n\n---');
  });

  it('is not taken where the repository declares nothing', async () => {
    const scene = await sceneWithEvidence({});
    const png = await upload(scene, 'home.png', PNG, 'image/png');
    await scene.runner.events(scene.lease, told([png]));
    await deliver(scene, { outsideScope: OUTSIDE });
    expect(await evidenceOf(scene)).toMatchObject({ outsideScope: null, files: [] });
    const { spec } = await scene.world.attempt(scene.lease.attemptId);
    expect(spec.prompt).not.toContain('## Scope and evidence');
  });
});

describe('files that agents left long ago', () => {
  it('go, but not while the pull request of their attempt is open', async () => {
    const scene = await sceneWithEvidence();
    const { world } = scene;
    const png = await upload(scene, 'home.png', PNG, 'image/png');
    const replaced = await upload(scene, 'old.png', 'no picture', 'image/png');
    await scene.runner.events(scene.lease, told([replaced]), told([png]));
    await deliver(scene);
    const sweep = async () => {
      await sweepRetention(world.deps, (await world.deps.config.load()).retention);
      return (await world.deps.db.select({ key: blobs.key }).from(blobs)).map(({ key }) => key);
    };
    expect(await sweep()).toHaveLength(2);
    world.clock.advance(31 * 86_400_000);
    expect(await sweep()).toEqual([png.blob]);
    expect((await get(scene, urlOf(scene, png))).status).toBe(200);
    await world.deps.db.update(pullRequests).set({ status: 'merged' });
    expect(await sweep()).toEqual([]);
    expect((await get(scene, urlOf(scene, png))).status).toBe(404);
    expect((await evidenceOf(scene)).files).toEqual([]);
  });
});

describe('a runner that lies about evidence', () => {
  it('cannot show another’s blob, nor more than the limits', async () => {
    const scene = await sceneWithEvidence();
    const { runner, lease } = scene;
    const own = file(lease, 'a.txt', 'a', 'text/plain');
    const lies = [
      [{ ...own, blob: own.blob.replace('att_', 'att_0') }],
      [{ ...own, blob: `attempts/${lease.attemptId}/1/../../att_2/1/diff` }],
      [{ ...own, type: 'text/html' }],
      [{ ...own, sha256: '../../../etc/passwd' }],
      [{ ...own, bytes: 5 * 1_048_576 + 1 }],
      Array.from({ length: 5 }, (_, index) => ({ ...own, path: `${index}`, bytes: 5 * 1_048_576 })),
      Array.from({ length: 21 }, (_, index) => ({ ...own, path: `${index}` })),
    ];
    for (const files of lies) {
      expect(await runner.events({ ...lease }, told(files))).toMatchObject({
        code: 'EVENT_INVALID',
      });
    }
    expect((await evidenceOf(scene)).files).toEqual([]);
  });

  it('shows names only as the text that they are, each once', async () => {
    const scene = await sceneWithEvidence();
    const { runner, lease } = scene;
    const names = ['../../etc/passwd', 'a\u0000b.txt', 'ab.txt', '\u202e', 'x\ny.txt'];
    const files: File[] = [];
    for (const name of names) files.push(await upload(scene, name, name));
    await runner.events(lease, told(files, 1));
    const shown = await evidenceOf(scene);
    expect(shown.files.map(({ path }) => path)).toEqual([
      '../../etc/passwd',
      'ab.txt',
      '?',
      'x y.txt',
    ]);
    expect(shown.filesLeftOut).toBe(2);
    const [passwd] = files;
    const answer = await get(scene, passwd === undefined ? '' : urlOf(scene, passwd));
    expect(answer.headers.get('Content-Disposition')).toContain('filename="passwd"');
  });

  it('cannot say that fewer files are outside the scope than it names', async () => {
    const scene = await sceneWithEvidence();
    await deliver(scene, { outsideScope: { files: 0, paths: ['a', 'b'] } });
    expect((await evidenceOf(scene)).outsideScope).toEqual({ files: 2, paths: ['a', 'b'] });
  });
});
