import { createLfsHost } from '../../../runner/src/workspace/lfs-host/lfs-host.ts';
import { type PreparedWorkspace, WorkspaceError } from '../../../runner/src/workspace/workspace.ts';
import type { WorkspacePort } from '../../../runner/src/workspace/workspace-port.ts';
import { failWhileInTrouble, pause, runGit, type SimGit } from './sim-git.ts';

/** Workspaces without files: what is asked of them takes time and sometimes fails. */
export function createSimWorkspaces(git: SimGit): WorkspacePort {
  return {
    git: {
      run: (command) => runGit(git, command),
      assertAllowed: () => Promise.resolve(),
      hindrance: () => Promise.resolve(null),
      readBytes: async (command) => Buffer.from((await runGit(git, command)).stdout),
    },
    paths: {
      root: '/sim',
      mirrors: '/sim',
      workspaces: '/sim',
      records: '/sim',
      temporary: '/sim',
    },
    lfs: createLfsHost({ privateHosts: [] }),
    workIdentity: null,
    lock: (_key, work) => work(),
    updateMirror: ({ url }) => mirrorOf(git, url),
    fetchMirror: async ({ url }) => ({ ...(await mirrorOf(git, url)), baseIsGone: false }),
    prepare: (input) => prepare(git, input),
    readInstructions: () => Promise.resolve(null),
    snapshot: () => takeSnapshot(git),
    push: (input) => push(git, input),
  };
}

async function mirrorOf(git: SimGit, url: string): ReturnType<WorkspacePort['updateMirror']> {
  await pause(git, 20, 800);
  return { path: '/sim/mirror', objectsPath: '/sim/objects', url, defaultBranch: 'main' };
}

async function prepare(
  git: SimGit,
  { issue, branch }: Parameters<WorkspacePort['prepare']>[0],
): Promise<PreparedWorkspace> {
  await pause(git, 50, git.random.chance(0.1) ? 30_000 : 2_000);
  if (git.random.chance(0.01)) throw new WorkspaceError('git_failed', 'the clone failed');
  return {
    path: `/sim/${issue.identifier}`,
    objectsPath: '/sim/objects',
    mirrorPath: '/sim/mirror',
    branch: branch ?? `switchyard/${issue.identifier}`,
    baseBranch: 'main',
    baseCommit: 'a'.repeat(40),
    created: true,
  };
}

async function takeSnapshot(git: SimGit): ReturnType<WorkspacePort['snapshot']> {
  await pause(git, 20, 1_500);
  git.commits.count += 1;
  const commitSha = git.commits.count.toString(16).padStart(40, 'c');
  git.mirrored.add(commitSha);
  return {
    commitSha,
    diff: '+ line',
    diffTruncated: false,
    diffStat: { files: 1, insertions: 1, deletions: 0 },
    problems: [],
    aside: [],
    unclear: false,
  };
}

/** As `git push --force-with-lease`: refused when the branch has moved since. */
async function push(git: SimGit, input: Parameters<WorkspacePort['push']>[0]): Promise<void> {
  await pause(git, 20, 800);
  failWhileInTrouble(git);
  const { repositoryUrl, branch, commitSha } = input;
  const head = git.remote.heads.get(`${repositoryUrl} ${branch}`) ?? null;
  if (head !== input.expectedSha) throw new WorkspaceError('push_rejected', 'the branch has moved');
  git.remote.push({ atMs: git.worldMs(), repositoryUrl, branch, commitSha });
}
