import { randomBytes } from 'node:crypto';
import { realpath, rename, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { assertBranchName } from '../git/branch-name.ts';
import { clearStaleLocks } from '../git/clear-stale-locks.ts';
import { containedPath } from '../disk/contained-path.ts';
import { deleteTree } from '../disk/delete-tree.ts';
import { TRANSFER_LIMITS } from '../git/git-limits.ts';
import { mirrorKey } from './mirror-key.ts';
import { pruneAttemptRefs } from './prune-attempt-refs.ts';
import type { Workspaces } from '../open-workspaces.ts';
import { type RepositoryUrl, parseRepositoryUrl } from '../git/repository-url.ts';
import { type RepositorySource, WorkspaceError } from '../workspace.ts';

export type Mirror = {
  path: string;
  /** Mounted read-only into containers at the same path. */
  objectsPath: string;
  url: string;
  defaultBranch: string;
};

const FETCH_TIMEOUT_MS = 15 * 60_000;
const ASK_TIMEOUT_MS = 60_000;
/** Only branches and tags: refs/switchyard/* is ours and must outlive every prune. */
const REFSPECS = ['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*'];

/**
 * The bare mirror of a repository, cloned or fetched. One at a time per repository. Throws
 * `repository_missing`, `repository_refused`, `branch_refused`, `host_unreachable`,
 * `host_auth_failed` or `git_failed`.
 */
export async function updateMirror(
  workspaces: Workspaces,
  source: RepositorySource,
  signal?: AbortSignal,
): Promise<Mirror> {
  const url = parseRepositoryUrl(source.url);
  if (source.defaultBranch !== undefined) assertBranchName(source.defaultBranch);
  await assertFileRepository(workspaces, url);
  const key = mirrorKey(url.url);
  return workspaces.lock(`mirror:${join(workspaces.paths.mirrors, key)}`, async () => {
    const { path, exists } = await containedPath(workspaces.paths.mirrors, key);
    if (exists) await fetchPatiently(workspaces, path, url, signal);
    else await createMirror(workspaces, path, url, signal);
    const defaultBranch = source.defaultBranch ?? (await remoteHead(workspaces, path, url, signal));
    await pointHead(workspaces, path, url, defaultBranch);
    if (exists) await pruneAttemptRefs(workspaces, path).catch(tomorrow);
    return { path, objectsPath: join(path, 'objects'), url: url.url, defaultBranch };
  });
}

/** Old refs only take room: a prune that git refuses is tried again the next day. */
function tomorrow(error: unknown): void {
  if (!(error instanceof WorkspaceError)) throw error;
}

/** The commit of a ref or full object id in a mirror, or null when it is not there. */
export async function mirrorCommit(
  workspaces: Workspaces,
  mirrorPath: string,
  name: string,
): Promise<string | null> {
  const result = await workspaces.git.run({
    gitDir: mirrorPath,
    args: ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`],
    okExitCodes: [0, 1, 128],
  });
  return result.exitCode === 0 ? result.stdout.trim() : null;
}

/** Built beside and renamed, so that a crash never leaves half a mirror under its name. */
async function createMirror(
  workspaces: Workspaces,
  path: string,
  url: RepositoryUrl,
  signal?: AbortSignal,
): Promise<void> {
  const draft = join(workspaces.paths.temporary, `mirror-${randomBytes(8).toString('hex')}`);
  try {
    await workspaces.git.run({
      args: ['init', '--quiet', '--bare', '--template=', '--shared=0644', draft],
    });
    await fetchInto(workspaces, draft, url, signal);
    await rename(draft, path);
  } finally {
    await deleteTree(draft);
  }
}

/** A git killed with its runner leaves lock files behind: those are cleared, then once more. */
async function fetchPatiently(
  workspaces: Workspaces,
  path: string,
  url: RepositoryUrl,
  signal?: AbortSignal,
): Promise<void> {
  try {
    await fetchInto(workspaces, path, url, signal);
  } catch (error) {
    const locked = error instanceof WorkspaceError && /\.lock': File exists/.test(error.message);
    if (!locked || !(await clearStaleLocks(path))) throw error;
    await fetchInto(workspaces, path, url, signal);
  }
}

async function fetchInto(
  workspaces: Workspaces,
  path: string,
  url: RepositoryUrl,
  signal?: AbortSignal,
): Promise<void> {
  await askRemote(url, () =>
    workspaces.git.run({
      gitDir: path,
      args: [
        'fetch',
        '--quiet',
        '--prune',
        '--force',
        '--no-tags',
        '--no-write-fetch-head',
        '--end-of-options',
        url.url,
        ...REFSPECS,
      ],
      remoteUrl: url.url,
      timeoutMs: FETCH_TIMEOUT_MS,
      limits: TRANSFER_LIMITS,
      ...(signal === undefined ? {} : { signal }),
    }),
  );
}

async function remoteHead(
  workspaces: Workspaces,
  path: string,
  url: RepositoryUrl,
  signal?: AbortSignal,
): Promise<string> {
  const result = await askRemote(url, () =>
    workspaces.git.run({
      gitDir: path,
      args: ['ls-remote', '--symref', '--end-of-options', url.url, 'HEAD'],
      remoteUrl: url.url,
      timeoutMs: ASK_TIMEOUT_MS,
      ...(signal === undefined ? {} : { signal }),
    }),
  );
  const branch = /^ref: refs\/heads\/(\S+)\tHEAD$/m.exec(result.stdout)?.[1];
  if (branch === undefined) {
    throw new WorkspaceError(
      'repository_missing',
      `${url.url} names no default branch (no commits yet, or a detached HEAD): push a first commit or set default_branch`,
    );
  }
  assertBranchName(branch);
  return branch;
}

async function pointHead(
  workspaces: Workspaces,
  path: string,
  url: RepositoryUrl,
  branch: string,
): Promise<void> {
  const commit = await mirrorCommit(workspaces, path, `refs/heads/${branch}`);
  if (commit === null) {
    throw new WorkspaceError('repository_missing', `${url.url} has no branch ${branch}`);
  }
  await workspaces.git.run({
    gitDir: path,
    args: ['symbolic-ref', 'HEAD', `refs/heads/${branch}`],
  });
}

/** A repository inside our own root could be one that an agent writes: host git never enters it. */
async function assertFileRepository(workspaces: Workspaces, url: RepositoryUrl): Promise<void> {
  if (url.kind !== 'file') return;
  const missing = (): never => {
    throw new WorkspaceError(
      'repository_missing',
      `there is no repository at ${url.path} on this runner`,
    );
  };
  const found = await stat(url.path).catch(missing);
  if (!found.isDirectory()) missing();
  const real = await realpath(url.path);
  if (`${real}${sep}`.startsWith(`${workspaces.paths.root}${sep}`)) {
    throw new WorkspaceError(
      'repository_refused',
      `${url.path} lies inside the runner's own folder`,
    );
  }
}

async function askRemote<T>(url: RepositoryUrl, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof WorkspaceError) || error.code !== 'git_failed') throw error;
    const missing = /does not appear to be a git repository|repository .*not found/i;
    if (!missing.test(error.message)) throw error;
    throw new WorkspaceError(
      'repository_missing',
      `there is no git repository at ${url.url}: ${error.message}`,
    );
  }
}
