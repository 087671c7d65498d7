import { rm, writeFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { publishBranch } from '../../calls/publish-branch.ts';
import { createWorkspacePort } from '../../workspace/workspace-port.ts';
import { lfsStorePath } from '../../workspace/lfs/store-object.ts';
import { pointerTo, sha256 } from '../../workspace/testing/lfs-host.ts';
import { limits } from '../testing/use-host.ts';
import { FILES, OLD, useLfsHost, withGitLfs } from '../testing/use-lfs-host.ts';

const lfs = useLfsHost();
const { rig, agent, at, git, remoteFile, told, turns } = lfs;
const { finished } = rig;

const NEW = 'new content\n'.repeat(100_000);
const NAME = 'art/new "ä".bin';
const objectOf = (content: string): string => {
  const oid = sha256(content);
  return at(join('.git/lfs/objects', oid.slice(0, 2), oid.slice(2, 4), oid));
};
const branches = (): string =>
  rig.world.fixture.git(rig.world.fixture.remotePath, 'branch', '--list');
/** Told once, and then refused. */
const twoTurns = { limits: { ...limits, maxTurns: 2 } };
const isUploaded = (content: string): boolean => lfs.host.objects.has(sha256(content));

withGitLfs('work that adds files to Git LFS', { timeout: 120_000 }, () => {
  it('is delivered with its objects, which a clone of git-lfs has then', async () => {
    await rig.world.fixture.commitOnRemote('main', FILES);
    agent([
      async () => {
        await writeFile(at('art/first.bin'), 'committed by the agent\n');
        git('add', '-A');
        git('commit', '-qm', 'first');
        await writeFile(at(NAME), NEW);
        git('mv', 'art/twin.bin', 'art/moved.bin');
      },
    ]);
    const { outcome, delivery } = await finished();
    expect(outcome).toBe('completed');
    expect(remoteFile(delivery?.branch, NAME)).toBe(pointerTo(NEW));
    const ofUpload = lfs.host.asked.slice(lfs.host.asked.indexOf('batch upload 2'));
    expect(ofUpload.toSorted()).toEqual(['PUT', 'PUT', 'batch upload 2', 'verify', 'verify']);
    lfs.host.wants = null;
    const clone = join(rig.world.fixture.folder, 'reviewer');
    const { gitIn } = lfs;
    await gitIn(rig.world.fixture.folder, 'clone', '-q', lfs.host.urlOf('remote.git'), clone);
    await gitIn(clone, 'lfs', 'install', '--local');
    await gitIn(clone, 'checkout', '-q', delivery?.branch ?? '');
    await gitIn(clone, 'lfs', 'pull');
    expect(readFileSync(join(clone, NAME), 'utf8')).toBe(NEW);
    expect(readFileSync(join(clone, 'art/first.bin'), 'utf8')).toBe('committed by the agent\n');
    expect(readFileSync(join(clone, 'art/moved.bin'), 'utf8')).toBe(OLD);
  });

  it('is told of an object that nobody has, and delivers once it is added again', async () => {
    await rig.world.fixture.commitOnRemote('main', FILES);
    agent([
      () => writeFile(at(NAME), pointerTo(NEW)),
      async () => {
        await writeFile(at(NAME), NEW);
      },
    ]);
    const { outcome } = await finished();
    expect(told(2)).toMatch(
      /art\/new "ä"\.bin: is an LFS pointer whose object is not in \.git\/lfs/,
    );
    expect({ outcome, turns: turns().length }).toEqual({ outcome: 'completed', turns: 2 });
    expect(isUploaded(NEW)).toBe(true);
  });

  it('is refused by name when the object has other content, and uploads nothing of it', async () => {
    await rig.world.fixture.commitOnRemote('main', FILES);
    agent(
      [
        async () => {
          await writeFile(at(NAME), NEW);
          git('add', '-A');
          await rm(objectOf(NEW));
          await writeFile(objectOf(NEW), NEW.replace('new', 'bad'));
        },
      ],
      twoTurns,
    );
    const { failureKind, reasonCode, message } = await finished();
    expect({ failureKind, reasonCode, turns: turns().length }).toEqual({
      failureKind: 'delivery_refused',
      reasonCode: 'work_refused',
      turns: 2,
    });
    expect(message).toContain(`${NAME}: is an LFS pointer whose object has other content`);
    expect(branches()).not.toContain('switchyard/');
    expect(lfs.host.asked).not.toContain('PUT');
  });

  it('is delivered when the host has the object already', async () => {
    await rig.world.fixture.commitOnRemote('main', FILES);
    lfs.host.objects.set(sha256(NEW), Buffer.from(NEW));
    agent([() => writeFile(at(NAME), pointerTo(NEW))]);
    expect((await finished()).outcome).toBe('completed');
    expect(lfs.host.asked).not.toContain('PUT');
  });

  it('is refused when an object holds a credential of this installation', async () => {
    await rig.world.fixture.commitOnRemote('main', FILES);
    rig.world.plane.sealedSecrets = JSON.stringify({ providerApiKey: 'sk-secret' });
    agent([() => writeFile(at(NAME), `${'x'.repeat(65_530)}sk-secret`)], twoTurns);
    const { failureKind, message } = await finished();
    expect(failureKind).toBe('delivery_refused');
    expect(message).toContain(`${NAME}: contains a credential of this installation`);
    expect(lfs.host.asked).not.toContain('PUT');
  });

  it.each([
    [401, 'Credentials needed'] as const,
    [403, 'read only'] as const,
    [404, 'Not found'] as const,
    [413, 'too large'] as const,
    [422, 'invalid'] as const,
    [507, 'over its quota'] as const,
  ])('waits for a person when the host answers %i to the upload', async (status, words) => {
    await rig.world.fixture.commitOnRemote('main', FILES);
    lfs.host.refuse = { operation: 'upload', status, message: words };
    agent([() => writeFile(at(NAME), NEW)]);
    const { failureKind, reasonCode, message, delivery } = await finished();
    expect({ failureKind, reasonCode, pushed: delivery?.pushed }).toEqual({
      failureKind: 'delivery_refused',
      reasonCode: undefined,
      pushed: false,
    });
    expect(message).toContain(`answered ${status}: ${words}`);
    expect(branches()).not.toContain('switchyard/');
  });

  it('is kept while the host has trouble, and pushed later with its objects', async () => {
    await rig.world.fixture.commitOnRemote('main', FILES);
    lfs.host.putStatus = 429;
    agent([() => writeFile(at(NAME), NEW)]);
    const { outcome, delivery } = await finished();
    expect({ outcome, pushed: delivery?.pushed }).toEqual({ outcome: 'completed', pushed: false });
    expect(lfs.notices().join()).toContain('answered 429');
    expect(branches()).not.toContain('switchyard/');
    lfs.host.putStatus = null;
    // The workspace is not needed any more.
    await rm(rig.workspace(), { recursive: true });
    const { workspaces } = rig.world.fixture;
    const port = createWorkspacePort(workspaces);
    const params = {
      repository: { url: lfs.host.urlOf('remote.git') },
      ref: 'refs/switchyard/wip/SY-1',
      commitSha: delivery?.commitSha ?? '',
      branch: delivery?.branch ?? '',
    };
    const { path } = await port.updateMirror({ url: params.repository.url });
    const store = lfsStorePath(path);
    await rm(`${store}/${sha256(NEW).slice(0, 2)}`, { recursive: true });
    await expect(publishBranch(port, params)).rejects.toThrow(
      /neither this runner nor the host has the LFS object of art\/new "ä"\.bin: start the runner/,
    );
    lfs.host.objects.set(sha256(NEW), Buffer.from(NEW));
    await publishBranch(port, params);
    expect(branches()).toContain(delivery?.branch);
  });

  it('has its objects on the host before its hidden ref, for another runner to go on with', async () => {
    await rig.world.fixture.commitOnRemote('main', FILES);
    agent([() => writeFile(at(NAME), NEW)], {
      limits: { ...limits, maxTurns: 1 },
      checkpoints: { pushWorkInProgress: true, uploadSession: false },
    });
    rig.world.engine.script = async (turn) => {
      await writeFile(at(NAME), NEW);
      turn.message('More is to be done.');
      turn.end();
    };
    await finished();
    const refs = rig.world.fixture.git(
      rig.world.fixture.remotePath,
      'for-each-ref',
      'refs/switchyard',
    );
    expect(refs).toContain('refs/switchyard/wip/');
    expect(isUploaded(NEW)).toBe(true);
  });

  it('is refused by name where objects cannot be uploaded', async () => {
    await rig.world.fixture.commitOnRemote('main', FILES);
    agent([() => writeFile(at(NAME), NEW)], {
      repository: { url: rig.world.fixture.source.url },
      ...twoTurns,
    });
    const { failureKind, message } = await finished();
    expect(failureKind).toBe('delivery_refused');
    expect(told(1)).toMatch(/over https only: 3 files are pointers.* add no file/s);
    expect(message).toContain(`${NAME}: is new in Git LFS and cannot be uploaded`);
    expect(branches()).not.toContain('switchyard/');
  });
});
