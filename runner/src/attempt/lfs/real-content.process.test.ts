import { existsSync, readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { pointerTo, sha256 } from '../../workspace/testing/lfs-host.ts';
import { FILES, OLD, SECOND, useLfsHost, withGitLfs } from '../testing/use-lfs-host.ts';

const lfs = useLfsHost();
const { rig, agent, at, git, notices, remoteFile, told } = lfs;
const { finished } = rig;

withGitLfs('a repository with Git LFS and an image with git-lfs', { timeout: 120_000 }, () => {
  it('has the content of its files, and what was only looked at is no change', async () => {
    await rig.world.fixture.commitOnRemote('main', FILES);
    let status = '';
    let fsck = '';
    agent([
      async () => {
        status = git('status', '--porcelain');
        fsck = git('lfs', 'fsck');
        await writeFile(
          at('sizes.txt'),
          String((await readFile(at('art/日本 "2".bin'))).byteLength),
        );
      },
    ]);
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
    expect(lfs.host.asked.filter((one) => one !== 'GET')).toEqual(['batch download 2']);
    expect(lfs.host.asked.filter((one) => one === 'GET')).toHaveLength(2);
  });

  it('has those alone that a sparse checkout holds', async () => {
    await rig.world.fixture.commitOnRemote('main', {
      ...FILES,
      'top.bin': pointerTo(OLD),
      'docs/[a*].bin': pointerTo(SECOND),
    });
    let status = '';
    agent(
      [
        async () => {
          status = git('status', '--porcelain');
          await writeFile(at('work.txt'), 'done\n');
        },
      ],
      { repository: { url: lfs.host.urlOf('remote.git'), sparsePaths: ['docs'] } },
    );
    expect((await finished()).outcome).toBe('completed');
    expect(status).toBe('');
    expect(readFileSync(at('docs/[a*].bin'), 'utf8')).toBe(SECOND);
    expect(readFileSync(at('top.bin'), 'utf8')).toBe(OLD);
    expect(existsSync(at('art'))).toBe(false);
  });

  it('keeps as pointers what the host does not have, or sends otherwise, and says so', async () => {
    await rig.world.fixture.commitOnRemote('main', FILES);
    lfs.host.objects.delete(sha256(SECOND));
    lfs.host.send = (content) => Buffer.concat([content.subarray(1), Buffer.from('x')]);
    agent([() => writeFile(at('work.txt'), 'done\n')]);
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
    lfs.host.refuse = { operation: 'download', status: 403, message: 'token has no scope for LFS' };
    agent([() => writeFile(at('work.txt'), 'done\n')]);
    expect((await finished()).outcome).toBe('completed');
    expect(notices()).toEqual([
      expect.stringMatching(/answered 403: token has no scope for LFS.*need read access/) as string,
    ]);
  });

  it('follows no redirect into a private network', async () => {
    await rig.world.fixture.commitOnRemote('main', FILES);
    lfs.host.redirectTo = (url) => url.replace('127.0.0.1', 'localhost');
    agent([() => writeFile(at('work.txt'), 'done\n')]);
    expect((await finished()).outcome).toBe('completed');
    expect(notices()[0]).toContain('names localhost, which is not on the public internet');
    expect(lfs.host.asked).not.toContain('GET');
  });

  it('asks no address in a private network that an answer names', async () => {
    await rig.world.fixture.commitOnRemote('main', FILES);
    lfs.host.change = (object) => ({
      ...object,
      actions: { download: { href: `https://169.254.169.254/latest/${String(object['oid'])}` } },
    });
    agent([() => writeFile(at('work.txt'), 'done\n')]);
    expect((await finished()).outcome).toBe('completed');
    expect(notices()[0]).toContain('169.254.169.254, which is not on the public internet');
  });
});
