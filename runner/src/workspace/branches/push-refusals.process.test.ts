import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { updateMirror } from '../mirror/mirror.ts';
import { openWorkspaces, type Workspaces } from '../open-workspaces.ts';
import { type GitHost, startGitHost } from '../testing/git-host.ts';
import { makeWorkspaceFixture, type WorkspaceFixture } from '../testing/workspace-fixture.ts';
import type { WorkspaceError } from '../workspace.ts';
import { pushBranch } from './push-branch.ts';

const BRANCH = 'switchyard/sy-1-fix';
let fixture: WorkspaceFixture;
let host: GitHost;
let workspaces: Workspaces;
let first: string;
let second: string;
let url: string;
let mirrorPath: string;
beforeEach(async () => {
  fixture = await makeWorkspaceFixture();
  host = await startGitHost(fixture.folder);
  workspaces = await openWorkspaces({
    rootPath: join(fixture.folder, 'root'),
    allowFolders: [fixture.folder],
    workIdentity: null,
    remoteEnv: () => Promise.resolve(host.env),
    remoteCredential: () => Promise.resolve({ username: 'u', password: 'p' }),
  });
  first = fixture.git(fixture.remotePath, 'rev-parse', 'main').trim();
  second = await fixture.commitOnRemote('topic', { 'a.txt': 'new words\n' });
  url = host.urlOf('remote.git');
  mirrorPath = (await updateMirror(workspaces, { url })).path;
  onRemote('update-ref', '-d', 'refs/heads/topic');
  onRemote('prune', '--expire=now');
});
afterEach(async () => {
  await host.close();
  await fixture.dispose();
});

const onRemote = (...args: string[]) => fixture.git(fixture.remotePath, ...args);
const push = (expectedSha: string | null = null, commitSha = second, to = url) =>
  pushBranch(workspaces, { mirrorPath, repositoryUrl: to, branch: BRANCH, commitSha, expectedSha });
/** The failure over https, and the same over a path: [code, message] of each. */
async function failures(expectedSha: string | null = null, commitSha = second) {
  const of = (to: string) =>
    push(expectedSha, commitSha, to).then(
      () => ['pushed', ''],
      ({ code, message }: WorkspaceError) => [code, message],
    );
  return [await of(url), await of(`file://${fixture.remotePath}`)];
}
const both = (code: string, words: RegExp) => [
  [code, expect.stringMatching(words)],
  [code, expect.stringMatching(words)],
];
async function hook(name: string, script: string): Promise<void> {
  const path = join(fixture.remotePath, 'hooks', name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
}

describe('a code host that does not take a push', { timeout: 60_000 }, () => {
  it('takes it when nothing is wrong', async () => {
    await push();
    expect(onRemote('rev-parse', BRANCH).trim()).toBe(second);
  });

  it.each([
    [401, 'host_auth_failed'],
    [403, 'host_auth_failed'],
    [404, 'git_failed'],
    [413, 'push_refused'],
    [429, 'host_unreachable'],
    [500, 'host_unreachable'],
    [503, 'host_unreachable'],
  ])('says why by its status: %i is %s', async (status, code) => {
    for (const when of ['asked', 'pushed'] as const) {
      host.answerPushes({ status, when, words: 'no\n' });
      await expect(push(), when).rejects.toMatchObject({ code });
      await updateMirror(workspaces, { url });
    }
    host.answerPushes(null);
    await push();
  });

  it.each([
    ['This repository was archived so it is read-only.', 'push_refused'],
    ['Storage quota exceeded.', 'push_refused'],
    ['Permission to a/b.git denied to c.', 'host_auth_failed'],
    ['Could not resolve host: internal', 'host_auth_failed'],
    ['You have exceeded a secondary rate limit.', 'host_unreachable'],
  ])('says why in words beside 403: %s', async (words, code) => {
    host.answerPushes({ status: 403, when: 'asked', words: `${words}\n` });
    await expect(push()).rejects.toMatchObject({ code, message: expect.stringContaining(words) });
  });
});

describe('a remote that refuses a push', { timeout: 60_000 }, () => {
  it.each(['loose', 'packed'])('for a branch in the way, %s, says which', async (kind) => {
    onRemote('update-ref', 'refs/heads/switchyard', first);
    if (kind === 'packed') onRemote('pack-refs', '--all');
    const words = /it has a branch switchyard, .* no branch switchyard\/sy-1-fix: rename or delete/;
    expect(await failures()).toEqual(both('push_refused', words));
    onRemote('update-ref', '-d', 'refs/heads/switchyard');
    onRemote('update-ref', `refs/heads/${BRANCH}/more`, first);
    if (kind === 'packed') onRemote('pack-refs', '--all');
    const below = /it has a branch switchyard\/sy-1-fix\/more, /;
    expect(await failures()).toEqual(both('push_refused', below));
  });

  it('as too large, unpacked or not', async () => {
    onRemote('config', 'receive.maxInputSize', '20');
    expect(await failures()).toEqual(both('push_refused', /larger than the host takes.*exceeds/));
    onRemote('config', 'receive.unpackLimit', '1');
    expect(await failures()).toEqual(both('push_refused', /larger than the host takes.*exceeds/));
  });

  it('by a hook', async () => {
    await hook('pre-receive', 'echo "not on Fridays" >&2; exit 1');
    const refused = (code: string, words: string) =>
      expect(push()).rejects.toMatchObject({ code, message: expect.stringContaining(words) });
    await refused('push_refused', ': not on Fridays (pre-receive hook declined)');
    await hook('pre-receive', 'exit 0');
    await hook('update', 'exit 1');
    await refused('push_refused', '(hook declined)');
    await hook('update', 'echo "Internal API error (502)" >&2; exit 1');
    await refused('push_rejected', 'Internal API error (502)');
  });

  it('only seemingly, when git is stopped before the answer: it is pushed once more', async () => {
    const go = join(fixture.folder, 'go');
    await hook('post-receive', `while [ ! -e ${go} ]; do sleep 0.1; done`);
    const input = { mirrorPath, repositoryUrl: url, branch: BRANCH, commitSha: second };
    const late = pushBranch(workspaces, { ...input, expectedSha: null, timeoutMs: 3_000 });
    await expect(late).rejects.toMatchObject({
      code: 'git_failed',
      message: expect.stringContaining('took longer than 3 s'),
    });
    await writeFile(go, '');
    await push();
    expect(onRemote('rev-parse', BRANCH).trim()).toBe(second);
  });

  it('for its rules about references', async () => {
    onRemote('config', 'receive.hideRefs', 'refs/heads/switchyard');
    expect(await failures()).toEqual(both('push_refused', /hidden ref/));
    onRemote('config', '--unset', 'receive.hideRefs');
    onRemote('config', 'receive.denyNonFastForwards', 'true');
    await push();
    expect(await failures(second, first)).toEqual(both('push_refused', /rewritten.*\(non-fast/));
  });

  it('for a branch that is checked out there', async () => {
    onRemote('update-ref', `refs/heads/${BRANCH}`, first);
    onRemote('symbolic-ref', 'HEAD', `refs/heads/${BRANCH}`);
    onRemote('config', 'core.bare', 'false');
    expect(await failures(first)).toEqual(both('push_refused', /merge by hand in that folder/));
  });

  it('for a reason that may pass, when a lock is held or the branch has moved', async () => {
    await push(null, first);
    await writeFile(join(fixture.remotePath, 'refs', 'heads', `${BRANCH}.lock`), '');
    expect(await failures(first)).toEqual(both('push_rejected', /File exists/));
    expect(await failures(null)).toEqual(both('push_rejected', /it has moved/));
  });
});
