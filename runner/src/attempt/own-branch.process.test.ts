import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { mirrorCommit, updateMirror } from '../workspace/mirror/mirror.ts';
import { openWorkspaces, type Workspaces } from '../workspace/open-workspaces.ts';
import { ownBranchHead } from './steps/own-branch-head.ts';
import { useHost } from './testing/use-host.ts';

const rig = useHost();
const { finished, offer } = rig;

const BRANCH = 'switchyard/team-1-fix-it';
const issue = { id: 'iss_1', title: 'Fix it', description: null, url: null, labels: [] };
const first = { ...issue, identifier: 'Team-1' };
const second = { ...issue, id: 'iss_2', identifier: 'team-1' };
const remote = (...args: string[]): string =>
  rig.world.fixture.git(rig.world.fixture.remotePath, ...args).trim();

/** An agent that writes a file of its own and says that it is done. */
function work(name: string): void {
  rig.world.engine.script = async (turn) => {
    await rig.world.fixture.write(join(folderOfLast(), name), 'new\n');
    turn.message('Fixed.\n\nSWITCHYARD_STATUS: DONE');
    turn.end();
  };
}
let lastKey = '';
const folderOfLast = () => join(rig.world.fixture.workspaces.paths.workspaces, lastKey);

async function deliver(
  attemptId: string,
  given: typeof first,
  change: { workspaceKey?: string; branch?: string; ownCommits?: string[] },
) {
  lastKey = change.workspaceKey ?? given.identifier;
  work(`${attemptId}.txt`);
  offer({ attemptId, issue: given, ...change });
  return finished(`${attemptId}@1`);
}

describe('the branches of issues whose identifiers differ in case', { timeout: 60_000 }, () => {
  it('both exist where the control plane names them, and neither work replaces the other', async () => {
    const one = await deliver('att_00000001', first, { branch: BRANCH, ownCommits: [] });
    const given = { branch: `${BRANCH}-1234abcd`, workspaceKey: 'team-1--1', ownCommits: [] };
    const two = await deliver('att_00000002', second, given);
    expect(two.delivery).toMatchObject({ branch: given.branch, pushed: true });
    expect(remote('rev-parse', BRANCH)).toBe(one.delivery?.commitSha);
    expect(remote('rev-parse', given.branch)).toBe(two.delivery?.commitSha);
  });

  it('never replace the work of another issue, also under one name and on one runner', async () => {
    const one = await deliver('att_00000001', first, { ownCommits: [] });
    const two = await deliver('att_00000002', second, { ownCommits: [] });
    expect(two).toMatchObject({
      failureKind: 'delivery_refused',
      delivery: { pushed: false },
      message: expect.stringContaining('somebody else or of another issue') as string,
    });
    expect(remote('rev-parse', BRANCH)).toBe(one.delivery?.commitSha);
  });
});

describe('a workspace from before its issue had another branch', { timeout: 60_000 }, () => {
  it('delivers to the branch that the control plane names, with all its work', async () => {
    const one = await deliver('att_00000001', first, { branch: BRANCH });
    const branch = `${BRANCH}-1234abcd`;
    const two = await deliver('att_00000002', first, { branch, ownCommits: [] });
    expect(two.delivery).toMatchObject({ branch, pushed: true });
    expect(remote('rev-parse', BRANCH)).toBe(one.delivery?.commitSha);
    const files = remote('ls-tree', '--name-only', branch).split('\n');
    expect(files).toEqual(expect.arrayContaining(['att_00000001.txt', 'att_00000002.txt']));
  });
});

/** A runner that has done nothing yet. */
async function otherRunner(): Promise<{ workspaces: Workspaces; mirrorPath: string }> {
  const { fixture } = rig.world;
  const workspaces = await openWorkspaces({
    rootPath: join(fixture.folder, 'other'),
    allowFolders: [fixture.folder],
    workIdentity: null,
  });
  const { path: mirrorPath } = await updateMirror(workspaces, fixture.source);
  return { workspaces, mirrorPath };
}
/** The work done anew, beside what the branch has. */
const rewrite = () => rig.world.fixture.commitOnRemote('rewritten', { 'again.txt': 'x\n' });

describe('a branch that an issue delivers to again', { timeout: 60_000 }, () => {
  it('is its own on a runner that did not do the work, also where that was rewritten', async () => {
    const one = await deliver('att_00000001', first, { ownCommits: [] });
    const head = one.delivery?.commitSha ?? '';
    const commitSha = await rewrite();
    const { workspaces, mirrorPath } = await otherRunner();
    const asked = { mirrorPath, branch: BRANCH, commitSha, attemptId: 'att_00000009' };
    expect(await ownBranchHead(workspaces, { ...asked, ownCommits: [head] })).toBe(head);
  });

  it('is not replaced where it has a commit that the issue did not make', async () => {
    const { fixture } = rig.world;
    const one = await deliver('att_00000001', first, { ownCommits: [] });
    const commitSha = await rewrite();
    await fixture.commitOnRemote(BRANCH, { 'theirs.txt': 'x\n' });
    const { workspaces, mirrorPath } = await otherRunner();
    const asked = { mirrorPath, branch: BRANCH, commitSha, attemptId: 'att_00000009' };
    const ownCommits = [one.delivery?.commitSha ?? ''];
    await expect(ownBranchHead(workspaces, { ...asked, ownCommits })).rejects.toMatchObject({
      code: 'push_refused',
    });
  });

  it('is its own where this runner made the commit in the same attempt', async () => {
    const one = await deliver('att_00000001', first, { ownCommits: [] });
    const head = one.delivery?.commitSha ?? '';
    const { fixture } = rig.world;
    const commitSha = await rewrite();
    const { path: mirrorPath } = await updateMirror(fixture.workspaces, fixture.source);
    expect(await mirrorCommit(fixture.workspaces, mirrorPath, head)).toBe(head);
    const asked = { mirrorPath, branch: BRANCH, commitSha, ownCommits: [] };
    const mine = { ...asked, attemptId: 'att_00000001' };
    expect(await ownBranchHead(fixture.workspaces, mine)).toBe(head);
    const others = { ...asked, attemptId: 'att_00000002' };
    await expect(ownBranchHead(fixture.workspaces, others)).rejects.toThrow('another issue');
    // An older control plane does not say which commits are whose.
    const unsaid = { ...others, ownCommits: undefined };
    expect(await ownBranchHead(fixture.workspaces, unsaid)).toBe(head);
  });
});
