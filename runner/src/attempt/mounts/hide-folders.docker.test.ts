import { messageOf } from '@switchyard/shared/message-of';
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, realpath, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Isolation } from '@switchyard/shared/sandbox/isolation';
import type { Mount } from '../../container/container-engine.ts';
import { DockerContainerEngine } from '../../container/docker/docker-engine.ts';
import { defaultSandboxImage } from '../../container/docker/image/default-sandbox-image.ts';
import { deleteTree } from '../../workspace/disk/delete-tree.ts';
import { ownFreshTree } from '../../workspace/disk/own-tree.ts';
import type { AttemptContext } from '../attempt-deps.ts';
import { hideFolders } from './hide-folders.ts';
import { runInWorkspaceOf } from './workspace-mounts.ts';

const image = process.env['SWITCHYARD_TEST_IMAGE'] ?? defaultSandboxImage;
const engine = new DockerContainerEngine({ image });
const skipReason = await engine.check().then(() => null, messageOf);
const MEBIBYTE = 1024 * 1024;
const COMMIT = 'git add -A && git -c user.name=A -c user.email=a@b commit -qm work --allow-empty';

describe.skipIf(skipReason !== null)(
  `folders that an engine must not see${skipReason === null ? '' : ` (skipped: ${skipReason})`}`,
  { timeout: 120_000 },
  () => {
    let root = '';
    const at = (...names: string[]) => join(root, ...names);
    const workspace = () => ({
      path: at('workspace'),
      objectsPath: at('objects'),
      mirrorPath: root,
      branch: 'main',
      baseBranch: 'main',
      baseCommit: 'c',
      created: true,
    });
    const contextOf = (isolation: Isolation = 'docker'): AttemptContext => {
      const containers = isolation === 'docker' ? engine : { isolation };
      const owner = { runnerId: 'test-hide', attemptId: randomUUID(), epoch: 1, bootId: 'boot' };
      const resources = { memoryBytes: 256 * MEBIBYTE, cpus: 1, pids: 64, tmpfsBytes: MEBIBYTE };
      const deps = { containers, settings: { image, dataDir: at('data') } };
      const control = { signal: AbortSignal.timeout(100_000) };
      const spec = { sandbox: resources, engine: { name: 'some-engine' } };
      return { owner, deps, control, spec } as unknown as AttemptContext;
    };
    /** The mounts for an engine from which these folders are hidden. */
    const hidden = async (hiddenFolders: string[] = [], isolation: Isolation = 'docker') => {
      const home = {
        path: at('home'),
        sessionsFolder: '',
        isDatabase: false,
        keptPath: at('kept'),
      };
      const place = { workspace: workspace(), home, launch: { files: {}, hiddenFolders } };
      return (await hideFolders(contextOf(isolation)).engineStarting?.(place)) ?? [];
    };
    /** As the engine would, with what is mounted for it. */
    const inside = async (script: string, mounts: readonly Mount[]): Promise<string> => {
      const context = contextOf();
      const { signal } = context.control;
      const run = runInWorkspaceOf(context, workspace(), signal, { moreMounts: mounts });
      const argv = ['sh', '-c', script];
      const limits = { timeoutMs: 60_000, maxOutputBytes: MEBIBYTE };
      const result = await run({ purpose: 'test', argv, env: { HOME: '/tmp' }, ...limits });
      expect(result).toMatchObject({ exitCode: 0 });
      return result.stdout;
    };
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'safe.directory=*', '-C', at('workspace'), ...args], {
        encoding: 'utf8',
      });

    beforeEach(async () => {
      root = await realpath(await mkdtemp(join(tmpdir(), 'swy-hide-')));
      await chmod(root, 0o755);
      for (const name of ['workspace/.tool/plugin', 'objects', 'data'])
        await mkdir(at(name), { recursive: true });
      await writeFile(at('workspace/.tool/plugin/evil.js'), 'evil\n');
      await writeFile(at('workspace/README.md'), '# Test\n');
      git('init', '-q', '-b', 'main');
      git('add', '-A');
      git('-c', 'user.name=A', '-c', 'user.email=a@b', 'commit', '-qm', 'Start');
      await ownFreshTree(at('workspace'), engine.workIdentity);
    });
    afterEach(() => deleteTree(root));
    afterAll(() => engine.close());

    it('are empty and closed for it, stay in its commits, and are another one’s again', async () => {
      const mounts = await hidden(['.tool', '.absent']);
      const look = 'ls -A .tool .absent; touch .tool/new 2>/dev/null && echo written; true';
      expect(await inside(look, mounts)).toBe('.absent:\n\n.tool:\n');
      await inside(`echo more >>README.md; git status --porcelain; ${COMMIT}`, mounts);
      expect(git('show', '--name-status', '--format=', 'HEAD')).toBe('M\tREADME.md\n');
      expect(git('ls-tree', '-r', '--name-only', 'HEAD')).toContain('.tool/plugin/evil.js');
      expect(await hidden()).toEqual([]);
      await inside(`echo changed >.tool/plugin/evil.js; ${COMMIT}`, []);
      expect(git('show', '--name-status', '--format=', 'HEAD')).toBe('M\t.tool/plugin/evil.js\n');
    });

    it('may be links: what they name stays as it is, and the link in the commit', async () => {
      await symlink('README.md', at('workspace', '.link'));
      git('add', '-A');
      git('-c', 'user.name=A', '-c', 'user.email=a@b', 'commit', '-qm', 'Link');
      await ownFreshTree(at('workspace'), engine.workIdentity);
      const mounts = await hidden(['.link']);
      await inside(`echo more >>README.md; ls -A .link; ${COMMIT}`, mounts);
      expect(git('show', '--name-status', '--format=', 'HEAD')).toBe('M\tREADME.md\n');
      await hidden();
      expect(await inside('readlink .link; git status --porcelain', [])).toBe('README.md\n');
    });

    it('end the attempt where there is no container that could hide them', async () => {
      await expect(hidden(['.tool'], 'process')).rejects.toThrow(
        'the repository has .tool, from which the agent engine some-engine runs programs',
      );
      expect(await hidden(['.absent'], 'process')).toEqual([]);
      expect(existsSync(at('workspace', '.absent'))).toBe(false);
    });
  },
);
