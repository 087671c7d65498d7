import { describe, expect, it } from 'vitest';
import { createSessionSecret } from '../../control-plane/src/config/secrets/session-secret.ts';
import { createApp } from '../../control-plane/src/app.ts';
import { openArtifact } from '../../control-plane/src/attempts/evidence/open-artifact.ts';
import { freeBytes } from '../../control-plane/src/db/server/free-bytes.ts';
import { blobs } from '../../control-plane/src/db/schema/operation/events.ts';
import { pullRequests } from '../../control-plane/src/db/schema/work/pull-requests.ts';
import { environmentTokens } from '../../control-plane/src/http/caller/environment-tokens.ts';
import { createSessions } from '../../control-plane/src/http/sessions/sessions.ts';
import { createSignInCodes } from '../../control-plane/src/http/sessions/sign-in-codes.ts';
import { sweepRetention } from '../../control-plane/src/coordinator/sweep-retention.ts';
import { streamOf } from '../../control-plane/src/http/answers/stream-of.ts';
import type { Core } from '../support/core/start-core.ts';
import { useCoreWorlds } from '../support/core/use-core-worlds.ts';
import {
  deliver,
  evidenceOf,
  file,
  get,
  PNG,
  sceneWithEvidence,
  type StoredFile,
  artifactsEvent,
  upload,
  urlOf,
} from './evidence/scene-with-evidence.ts';
import type { RunningScene } from './runner-protocol/scene.ts';

const make = useCoreWorlds();
const HTML = '<script>alert(document.domain)</script>';

/** The same service where reads need a token too. */
function appWithReadToken({ world: { deps } }: RunningScene): Core['app'] {
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
  });
}

describe('the files that an agent left', () => {
  it('has the files that the agent left, each with an address of its bytes', async () => {
    const scene = await sceneWithEvidence(make);
    const { runner, lease } = scene;
    const png = await upload(scene, 'shots/home.png', PNG, 'image/png');
    const log = await upload(scene, 'run.log', 'all well');
    await runner.events(lease, artifactsEvent([png, log], 3));
    const { files, filesLeftOut } = await evidenceOf(scene);
    expect(filesLeftOut).toBe(3);
    expect(files).toEqual([
      { path: 'shots/home.png', bytes: 10, type: 'image/png', url: urlOf(scene, png) },
      { path: 'run.log', bytes: 8, type: 'text/plain', url: urlOf(scene, log) },
    ]);
    const answer = await get(scene, urlOf(scene, png));
    expect(answer.status).toBe(200);
    expect(new Uint8Array(await answer.arrayBuffer())).toEqual(PNG);
    await runner.events(lease, artifactsEvent([log]));
    expect((await evidenceOf(scene)).files).toMatchObject([{ path: 'run.log' }]);
    expect((await get(scene, urlOf(scene, png))).status).toBe(404);
  });
});

describe('a file that an agent left', () => {
  it('never acts on the origin of the service, whatever is in it', async () => {
    const scene = await sceneWithEvidence(make);
    const html = await upload(scene, 'reports/<a>"ü.html', HTML);
    const svg = await upload(scene, 'logo.svg', `<svg onload="alert(1)"/>`);
    const png = await upload(scene, 'a.png', PNG, 'image/png');
    const bin = await upload(scene, '...zip', new Uint8Array([1, 0]), 'application/octet-stream');
    await scene.runner.events(scene.lease, artifactsEvent([html, svg, png, bin]));
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
    const scene = await sceneWithEvidence(make);
    const png = await upload(scene, 'a.png', PNG, 'image/png');
    await scene.runner.events(scene.lease, artifactsEvent([png]));
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
    const scene = await sceneWithEvidence(make);
    const secret = 'sk-very-secret-value';
    scene.world.deps.redactor.hide(secret);
    const log = await upload(scene, 'run.log', `key ${secret}`);
    await scene.runner.events(scene.lease, artifactsEvent([log]));
    expect(await (await get(scene, urlOf(scene, log))).text()).toBe('key [redacted]');
  });

  it('is not answered where its runner lied about its length', async () => {
    const scene = await sceneWithEvidence(make);
    const png = await upload(scene, 'a.png', PNG, 'image/png');
    for (const bytes of [9, 11]) {
      await scene.runner.events(scene.lease, artifactsEvent([{ ...png, bytes }]));
      const answer = await get(scene, urlOf(scene, png));
      await expect(answer.arrayBuffer()).rejects.toThrow('does not have the');
    }
  });

  it('is whole where its platform takes the memory of each piece back', async () => {
    const scene = await sceneWithEvidence(make);
    const { db, blobs: stored } = scene.world.deps;
    const text = 'line\n'.repeat(300_000);
    const log = await upload(scene, 'run.log', text);
    await scene.runner.events(scene.lease, artifactsEvent([log]));
    async function* frugal(pieces: AsyncIterable<Uint8Array>) {
      for await (const piece of pieces) {
        yield piece;
        freeBytes(piece);
      }
    }
    const open = async (key: string) => {
      const pieces = await stored.open(key);
      return pieces && frugal(pieces);
    };
    const { attemptId } = scene.lease;
    const given = { attemptId, sha256: log.sha256 };
    const { pieces } = await openArtifact({ db, blobs: { ...stored, open } }, given);
    expect(await new Response(streamOf(pieces)).text()).toBe(text);
  });

  it('is told as gone where it is not kept', async () => {
    const scene = await sceneWithEvidence(make);
    const never = file(scene.lease, 'a.txt', 'never stored', 'text/plain');
    await scene.runner.events(scene.lease, artifactsEvent([never]));
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

describe('files that agents left long ago', () => {
  it('go, but not while the pull request of their attempt is open', async () => {
    const scene = await sceneWithEvidence(make);
    const { world } = scene;
    const png = await upload(scene, 'home.png', PNG, 'image/png');
    const replaced = await upload(scene, 'old.png', 'no picture', 'image/png');
    await scene.runner.events(scene.lease, artifactsEvent([replaced]), artifactsEvent([png]));
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
    const scene = await sceneWithEvidence(make);
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
      expect(await runner.events({ ...lease }, artifactsEvent(files))).toMatchObject({
        code: 'EVENT_INVALID',
      });
    }
    expect((await evidenceOf(scene)).files).toEqual([]);
  });

  it('shows names only as the text that they are, each once', async () => {
    const scene = await sceneWithEvidence(make);
    const { runner, lease } = scene;
    const names = ['../../etc/passwd', 'a\u0000b.txt', 'ab.txt', '\u202e', 'x\ny.txt'];
    const files: StoredFile[] = [];
    for (const name of names) files.push(await upload(scene, name, name));
    await runner.events(lease, artifactsEvent(files, 1));
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
});
