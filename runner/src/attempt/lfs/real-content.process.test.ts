import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type LfsHost, pointerTo, sha256, startLfsHost } from '../../workspace/testing/lfs-host.ts';
import { openWorkspaces } from '../../workspace/open-workspaces.ts';
import type { FakeTurn } from '../testing/fake-engine.ts';
import { limits, useHost } from '../testing/use-host.ts';

/** The real program examines what we do; without it nothing of this can be shown. */
const hasGitLfs = spawnSync('git', ['lfs', 'version']).status === 0;
const withGitLfs = hasGitLfs ? describe : describe.skip;

const rig = useHost();
const { finished, payloads, workspace } = rig;
let host: LfsHost;
const home = mkdtempSync(join(tmpdir(), 'swy-lfs-home-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const CREDENTIAL = { username: 'runner', password: 'lfs-password-of-the-route' };
const OLD = 'old content, as an artist made it\n';
const SECOND = 'second content\n'.repeat(5_000);
const ATTRIBUTES = '*.bin filter=lfs diff=lfs merge=lfs -text\n';
const FILES = {
  '.gitattributes': ATTRIBUTES,
  'art/old.bin': pointerTo(OLD),
  'art/日本 "2".bin': pointerTo(SECOND),
  'art/twin.bin': pointerTo(OLD),
};

beforeEach(async () => {
  host = await startLfsHost(rig.world.fixture.folder);
  host.objects.set(sha256(OLD), Buffer.from(OLD));
  host.objects.set(sha256(SECOND), Buffer.from(SECOND));
  host.wants = CREDENTIAL;
  const { folder, workspaces } = rig.world.fixture;
  const opened = await openWorkspaces({
    ...{ rootPath: join(folder, 'root'), allowFolders: [folder], workIdentity: null },
    remoteEnv: () => Promise.resolve(host.env),
    remoteCredential: () => Promise.resolve(CREDENTIAL),
  });
  Object.assign(workspaces, opened);
  await rig.restart();
});
afterEach(async () => {
  await host.close();
});

/** As an agent's shell in the container: git-lfs is installed, and nothing can be fetched. */
const git = (...args: string[]): string =>
  execFileSync('git', args, {
    ...{ cwd: workspace(), encoding: 'utf8', stdio: 'pipe' },
    env: {
      ...{ PATH: process.env['PATH'], HOME: home, GIT_CONFIG_NOSYSTEM: '1' },
      ...{ GIT_AUTHOR_NAME: 'A', GIT_AUTHOR_EMAIL: 'a@b.c' },
      ...{ GIT_COMMITTER_NAME: 'A', GIT_COMMITTER_EMAIL: 'a@b.c' },
    },
  });
const at = (name: string): string => join(workspace(), name);
const turns = (): FakeTurn[] => rig.world.engine.sessions.at(-1)?.turns ?? [];
const told = (turn: number): string => turns()[turn - 1]?.input.text ?? '';
const notices = (): string[] => payloads('notice').map(({ message }) => String(message));

function agent(step: () => Promise<unknown>, repository: { sparsePaths?: string[] } = {}): void {
  rig.world.engine.script = async (turn: FakeTurn) => {
    if (turn.number === 1) await step();
    turn.message('Finished.\n\nSWITCHYARD_STATUS: DONE');
    turn.end();
  };
  rig.offer({
    limits: { ...limits, maxTurns: 8 },
    repository: { url: host.urlOf('remote.git'), ...repository },
  });
}
const remoteFile = (branch: string | undefined, path: string): string =>
  rig.world.fixture.git(rig.world.fixture.remotePath, 'show', `${branch}:${path}`);

withGitLfs('a repository with Git LFS and an image with git-lfs', { timeout: 120_000 }, () => {
  it('has the content of its files, and what was only looked at is no change', async () => {
    await rig.world.fixture.commitOnRemote('main', FILES);
    let status = '';
    let fsck = '';
    agent(async () => {
      status = git('status', '--porcelain');
      fsck = git('lfs', 'fsck');
      await writeFile(at('sizes.txt'), String((await readFile(at('art/日本 "2".bin'))).byteLength));
    });
    const { outcome, delivery } = await finished();
    expect(outcome).toBe('completed');
    expect(notices()).toEqual([]);
    expect(told(1)).toBe('Fix it.');
    expect(readFileSync(at('art/old.bin'), 'utf8')).toBe(OLD);
    expect(readFileSync(at('art/twin.bin'), 'utf8')).toBe(OLD);
    expect(status).toBe('');
    expect(fsck).toContain('Git LFS fsck OK');
    expect(remoteFile(delivery?.branch, 'sizes.txt')).toBe(String(SECOND.length));
    expect(remoteFile(delivery?.branch, 'art/old.bin')).toBe(pointerTo(OLD));
    expect(host.asked.filter((one) => one !== 'GET')).toEqual(['batch download 2']);
    expect(host.asked.filter((one) => one === 'GET')).toHaveLength(2);
  });

  it('has those alone that a sparse checkout holds', async () => {
    await rig.world.fixture.commitOnRemote('main', {
      ...FILES,
      'top.bin': pointerTo(OLD),
      'docs/[a*].bin': pointerTo(SECOND),
    });
    let status = '';
    agent(
      async () => {
        status = git('status', '--porcelain');
        await writeFile(at('work.txt'), 'done\n');
      },
      { sparsePaths: ['docs'] },
    );
    expect((await finished()).outcome).toBe('completed');
    expect(status).toBe('');
    expect(readFileSync(at('docs/[a*].bin'), 'utf8')).toBe(SECOND);
    expect(readFileSync(at('top.bin'), 'utf8')).toBe(OLD);
    expect(existsSync(at('art'))).toBe(false);
  });

  it('keeps as pointers what the host does not have, or sends otherwise, and says so', async () => {
    await rig.world.fixture.commitOnRemote('main', FILES);
    host.objects.delete(sha256(SECOND));
    host.send = (content) => Buffer.concat([content.subarray(1), Buffer.from('x')]);
    agent(() => writeFile(at('work.txt'), 'done\n'));
    expect((await finished()).outcome).toBe('completed');
    expect(readFileSync(at('art/old.bin'), 'utf8')).toBe(pointerTo(OLD));
    expect(notices()).toEqual([
      expect.stringMatching(
        /3 files are pointers.*its content is not what the pointer names; .*404: Object does not exist/,
      ) as string,
    ]);
    expect(told(1)).toContain('not all could be fetched');
  });

  it('says why the host answers nothing, and works all the same', async () => {
    await rig.world.fixture.commitOnRemote('main', FILES);
    host.refuse = { operation: 'download', status: 403, message: 'token has no scope for LFS' };
    agent(() => writeFile(at('work.txt'), 'done\n'));
    expect((await finished()).outcome).toBe('completed');
    expect(notices()).toEqual([
      expect.stringMatching(/answered 403: token has no scope for LFS.*need read access/) as string,
    ]);
  });

  it('asks no address in a private network that an answer names', async () => {
    await rig.world.fixture.commitOnRemote('main', FILES);
    host.change = (object) => ({
      ...object,
      actions: { download: { href: `https://169.254.169.254/latest/${String(object['oid'])}` } },
    });
    agent(() => writeFile(at('work.txt'), 'done\n'));
    expect((await finished()).outcome).toBe('completed');
    expect(notices()[0]).toContain('169.254.169.254, which is not on the public internet');
  });
});
