import { existsSync, readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { testSpec } from '../../connection/testing/attempt-spec.ts';
import { makeStore, storeObject } from '../../workspace/lfs/store-object.ts';
import { createWorkspacePort } from '../../workspace/workspace-port.ts';
import { pointerTo, sha256 } from '../../workspace/testing/lfs-host.ts';
import { FILES, OLD, SECOND, useLfsHost, withGitLfs } from '../testing/use-lfs-host.ts';

const lfs = useLfsHost();
const { rig, agent, at, git, notices, remoteFile, turns } = lfs;
const { finished } = rig;

const changedFiles = (branch = ''): string[] =>
  rig.world.fixture
    .git(rig.world.fixture.remotePath, 'diff', '--name-only', 'main', branch)
    .trim()
    .split('\n');

/** As another issue of the repository left it. */
async function fillStore(): Promise<void> {
  const { workspaces } = rig.world.fixture;
  const url = lfs.host.urlOf('remote.git');
  const { path } = await createWorkspacePort(workspaces).updateMirror({ url });
  await makeStore(path);
  for (const content of [OLD, SECOND]) {
    const pointer = { oid: sha256(content), sizeBytes: content.length };
    await storeObject(workspaces, path, pointer, Readable.from([Buffer.from(content)]));
  }
}

withGitLfs('what is there already, with git-lfs in the image', { timeout: 120_000 }, () => {
  it('leaves raw content of the base as it is, unless the work touches it', async () => {
    const raw = 'raw content, committed without git-lfs\n';
    const more = { 'art/raw.bin': raw, 'art/touched.bin': raw };
    await rig.world.fixture.commitOnRemote('main', { ...FILES, ...more });
    agent([
      async () => {
        await writeFile(at('work.txt'), 'done\n');
        await writeFile(at('art/touched.bin'), 'touched\n');
      },
    ]);
    const { outcome, delivery } = await finished();
    expect(outcome).toBe('completed');
    expect(changedFiles(delivery?.branch)).toEqual(['art/touched.bin', 'work.txt']);
    expect(remoteFile(delivery?.branch, 'art/raw.bin')).toBe(raw);
    expect(remoteFile(delivery?.branch, 'art/touched.bin')).toBe(pointerTo('touched\n'));
  });

  it.each([
    ['fetched now', () => Promise.resolve()],
    ['there for another issue', fillStore],
  ])('gives an older workspace content that is %s, and no deleted file', async (_, before) => {
    await rig.world.fixture.commitOnRemote('main', FILES);
    lfs.host.refuse = { operation: 'download', status: 403, message: 'not yet' };
    agent([() => writeFile(at('first.txt'), 'done\n')]);
    await finished();
    expect(notices()).toHaveLength(1);
    expect(readFileSync(at('art/old.bin'), 'utf8')).toBe(pointerTo(OLD));
    await rm(at('art/twin.bin'));
    lfs.host.refuse = null;
    await before();
    agent([() => writeFile(at('work.txt'), 'done\n')], { attemptId: 'att_00000002' });
    const { delivery } = await finished('att_00000002@1');
    expect(readFileSync(at('art/old.bin'), 'utf8')).toBe(OLD);
    expect(existsSync(at('art/twin.bin'))).toBe(false);
    expect(changedFiles(delivery?.branch)).toEqual(['art/twin.bin', 'first.txt', 'work.txt']);
  });

  it('leaves an attempt its disk: content that takes most of it stays pointers', async () => {
    await rig.world.fixture.commitOnRemote('main', FILES);
    const { sandbox } = testSpec();
    agent([() => writeFile(at('art/new.bin'), 'new\n')], {
      sandbox: { ...sandbox, diskBytes: 3 * SECOND.length },
    });
    const { outcome, message, delivery } = await finished();
    expect(outcome, message).toBe('completed');
    expect(notices()[0]).toMatch(/take 1 MiB of a workspace, more than half .*diskBytes/);
    expect(readFileSync(at('art/old.bin'), 'utf8')).toBe(pointerTo(OLD));
    expect(changedFiles(delivery?.branch)).toEqual(['art/new.bin']);
    expect(lfs.host.asked).not.toContain('GET');
  });

  it('lets pointers be moved where the host of the repository has no LFS', async () => {
    await rig.world.fixture.commitOnRemote('main', FILES);
    for (const operation of ['download', 'upload'] as const)
      lfs.host.refuse = { operation, status: 404, message: 'Not found' };
    agent([async () => void git('mv', 'art/old.bin', 'art/moved.bin')]);
    const { outcome, message, delivery } = await finished();
    expect([outcome, delivery?.pushed], message).toEqual(['completed', true]);
    expect(remoteFile(delivery?.branch, 'art/moved.bin')).toBe(pointerTo(OLD));
  });

  it('is looked at without the host, and only the delivery waits for it', async () => {
    await rig.world.fixture.commitOnRemote('main', FILES);
    lfs.host.refuse = { operation: 'upload', status: 503, message: 'down' };
    agent([() => writeFile(at('art/elsewhere.bin'), pointerTo('an object of another branch\n'))]);
    const { outcome, message, delivery } = await finished();
    expect([outcome, delivery?.pushed], message).toEqual(['completed', false]);
    expect(notices().join()).toContain('not pushed yet: Git LFS');
    expect(turns()).toHaveLength(1);
  });
});
