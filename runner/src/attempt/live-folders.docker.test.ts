import { messageOf } from '@switchyard/shared/message-of';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, realpath, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DockerContainerEngine } from '../container/docker/docker-engine.ts';
import { defaultSandboxImage } from '../container/docker/image/default-sandbox-image.ts';
import { deleteTree } from '../workspace/disk/delete-tree.ts';
import { ownFreshTree } from '../workspace/disk/own-tree.ts';
import type { AttemptContext } from './attempt-deps.ts';
import { diskGaugeOf } from './watch/disk-gauge.ts';
import { packLiveSession } from './session/pack-live-session.ts';

const SWAPPER = fileURLToPath(new URL('../agent-files/testing/swap-paths.mjs', import.meta.url));
const image = process.env['SWITCHYARD_TEST_IMAGE'] ?? defaultSandboxImage;
const engine = new DockerContainerEngine({ image });
const skipReason = await engine.check().then(() => null, messageOf);
const NAME = 'rollout-thread-1.jsonl';
const SECRET = 'words of this host';
const TRIES = 8;
const FEW = 40;

describe.skipIf(skipReason !== null)(
  `folders of an agent that is at work${skipReason === null ? '' : ` (skipped: ${skipReason})`}`,
  { timeout: 120_000 },
  () => {
    let root = '';
    let context: AttemptContext;
    const home = () => ({
      path: join(root, 'home'),
      sessionsFolder: 'engine/sessions',
      isDatabase: false,
      keptPath: join(root, 'kept'),
    });
    const workspace = () => ({
      path: join(root, 'workspace'),
      objectsPath: root,
      mirrorPath: root,
      branch: 'b',
      baseBranch: 'main',
      baseCommit: 'c',
      created: true,
    });
    const sessions = (...names: string[]) => join(root, 'home', 'engine', 'sessions', ...names);
    const pack = () =>
      packLiveSession(context, home(), 'thread-1', AbortSignal.timeout(60_000)).then((packed) =>
        packed === null ? null : textsIn(packed),
      );

    beforeEach(async () => {
      root = await realpath(await mkdtemp(join(tmpdir(), 'swy-live-')));
      await chmod(root, 0o755);
      for (const name of ['home/engine/sessions/2026', 'workspace', 'temporary', 'secret'])
        await mkdir(join(root, name), { recursive: true });
      await writeFile(join(root, 'secret', NAME), SECRET);
      await writeFile(sessions('2026', NAME), 'honest\n');
      const owner = { runnerId: 'test-live', attemptId: randomUUID(), epoch: 1, bootId: 'boot' };
      const deps = {
        containers: engine,
        settings: { image },
        workspaces: { paths: { temporary: join(root, 'temporary') } },
      };
      context = { owner, deps, spec: { sandbox: {} } } as unknown as AttemptContext;
    });
    afterEach(async () => {
      expect(await readdir(join(root, 'temporary'))).toEqual([]);
      await deleteTree(root);
    });
    afterAll(() => engine.close());

    it('give a session, and no word of this host while files are swapped for links', async () => {
      await ownFreshTree(join(root, 'home'), engine.workIdentity);
      expect(await pack()).toEqual(['honest\n']);
      await symlink(join(root, 'secret', NAME), sessions(`link-${NAME}`));
      const words = [sessions('swapped'), NAME, join(root, 'secret', NAME)];
      const agent = spawn(process.execPath, [SWAPPER, ...words], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      try {
        await once(agent.stdout, 'data');
        for (let tried = 0; tried < TRIES; tried += 1) {
          const texts = await pack();
          expect(texts).toContain('honest\n');
          expect(texts).not.toContain(SECRET);
        }
      } finally {
        agent.kill('SIGKILL');
        await once(agent, 'exit');
      }
    });

    it('are measured in bytes and in entries, also where they were closed', async () => {
      const closed = join(root, 'workspace', 'closed');
      await mkdir(closed);
      await writeFile(join(closed, 'large'), Buffer.alloc(2 ** 20, 1));
      for (let made = 0; made < FEW; made += 1)
        await writeFile(join(root, 'workspace', `empty-${made}`), '');
      await symlink('/', join(root, 'workspace', 'all'));
      for (const name of ['home', 'workspace'])
        await ownFreshTree(join(root, name), engine.workIdentity);
      await chmod(closed, 0);
      const gauge = diskGaugeOf(context, workspace(), home());
      const signal = AbortSignal.timeout(60_000);
      try {
        expect(await gauge.measure(signal)).toMatchObject({ isHidden: true });
        await gauge.measure(signal);
        const use = await gauge.measure(signal);
        expect(use.isHidden).toBe(false);
        expect(use.entries).toBeGreaterThanOrEqual(FEW + 6);
        expect(use.entries).toBeLessThan(FEW + 16);
        expect(use.workspaceBytes).toBeGreaterThanOrEqual(2 ** 20);
        expect(use.bytes).toBeLessThan(2 ** 21);
      } finally {
        await gauge.end();
      }
      await expect(gauge.measure(signal)).rejects.toThrow('no longer measured');
    });
  },
);

function textsIn(packed: Uint8Array): string[] {
  const { files } = JSON.parse(gunzipSync(packed).toString()) as { files: { base64: string }[] };
  return files.map(({ base64 }) => Buffer.from(base64, 'base64').toString());
}
