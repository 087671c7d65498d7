import { randomBytes } from 'node:crypto';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { assertBranchName } from '../git/branch-name.ts';
import { containedPath } from '../disk/contained-path.ts';
import { deleteTree } from '../disk/delete-tree.ts';
import { TRANSFER_LIMITS } from '../git/git-limits.ts';
import { reportFetch } from './watch-fetch.ts';
import { interruptCollection } from './collect-garbage.ts';
import { mirrorKey } from './mirror-key.ts';
import { pruneAttemptRefs } from './prune-attempt-refs.ts';
import { patiently } from './with-refs.ts';
import type { Workspaces } from '../open-workspaces.ts';
import { type RepositoryUrl, parseRepositoryUrl } from '../git/repository-url.ts';
import { type RepositorySource, WorkspaceError } from '../workspace.ts';

export type Mirror = {
  path: string;
  /** Path of the objects, mounted read-only into containers at the same path. */
  objectsPath: string;
  url: string;
  defaultBranch: string;
};

const FETCH_TIMEOUT_MS = 15 * 60_000;
const ASK_TIMEOUT_MS = 60_000;
/** Only branches and tags: refs/switchyard/* belongs to the runner and must survive every prune. */
const REFSPECS = ['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*'];

/**
 * Clones or fetches the bare mirror of a repository, one at a time for each repository. Throws
 * `repository_missing`, `base_missing`, `repository_refused`, `branch_refused`, `host_unreachable`,
 * `host_auth_failed` or `git_failed`.
 */
export function updateMirror(
  workspaces: Workspaces,
  source: RepositorySource,
  signal?: AbortSignal,
): Promise<Mirror> {
  return updateMirrorUnless(workspaces, source, { signal });
}

type UpdateOptions = {
  isFresh?: (mirror: Mirror) => Promise<boolean>;
  signal?: AbortSignal | undefined;
  /** Chooses the default branch of a fetched mirror. Default: `namedDefault`. */
  chooseDefault?: (fetched: Fetched) => Promise<string>;
};

/** A mirror in its remote's present state, before the default branch is chosen. */
export type Fetched = {
  url: string;
  /** The source's configured default branch. */
  configured: string | undefined;
  has: (branch: string) => Promise<boolean>;
  /** The branch of the remote's HEAD. Throws `repository_missing` when it names none. */
  askHead: () => Promise<string>;
};

/**
 * Clones or fetches the mirror of a repository, unless it is already up to date when its turn
 * comes. Throws the errors of `updateMirror`.
 */
export async function updateMirrorUnless(
  workspaces: Workspaces,
  source: RepositorySource,
  options: UpdateOptions,
): Promise<Mirror> {
  const url = checkedSource(source);
  const { signal } = options;
  const remote = { url, signal, isPublic: source.submodule === 'public' };
  const key = mirrorKey(url.url, source.submodule);
  interruptCollection(join(workspaces.paths.mirrors, key));
  return workspaces.lock(`mirror:${join(workspaces.paths.mirrors, key)}`, async () => {
    const { path, exists } = await containedPath(workspaces.paths.mirrors, key);
    const known = { path, objectsPath: join(path, 'objects'), url: url.url };
    if (exists && source.defaultBranch !== undefined) {
      const mirror = { ...known, defaultBranch: source.defaultBranch };
      if ((await options.isFresh?.(mirror)) === true) return mirror;
    }
    if (exists)
      await patiently(path, () => fetchInto(workspaces, path, { ...remote, mirrorPath: path }));
    else await createMirror(workspaces, path, remote);
    const fetched: Fetched = {
      url: url.url,
      configured: source.defaultBranch,
      has: async (branch) => (await mirrorCommit(workspaces, path, headRef(branch))) !== null,
      askHead: () => remoteHead(workspaces, path, remote),
    };
    const defaultBranch = await (options.chooseDefault ?? namedDefault)(fetched);
    if (await fetched.has(defaultBranch)) await pointHead(workspaces, path, defaultBranch);
    if (exists) await pruneAttemptRefs(workspaces, path).catch(tomorrow);
    return { ...known, defaultBranch };
  });
}

/** The configured branch, else that of the remote's HEAD. Throws when the remote lacks it. */
export async function namedDefault({ url, configured, has, askHead }: Fetched): Promise<string> {
  const branch = configured ?? (await askHead());
  if (await has(branch)) return branch;
  if (configured === undefined)
    throw new WorkspaceError(
      'git_failed',
      `${url} has had its default branch ${branch} only since it was fetched`,
    );
  throw new WorkspaceError(
    'base_missing',
    `${url} has no branch ${branch}, which the route of the repository configures: push it, or change default_branch there`,
  );
}

/** The address of a source that git may use. */
export function checkedSource(source: RepositorySource): RepositoryUrl {
  const url = parseRepositoryUrl(source.url);
  if (source.defaultBranch !== undefined) assertBranchName(source.defaultBranch);
  return url;
}

/** Path of a repository's mirror, existing or not. Throws `repository_refused`. */
export function mirrorPathOf(
  workspaces: Pick<Workspaces, 'paths'>,
  source: RepositorySource,
): string {
  return join(
    workspaces.paths.mirrors,
    mirrorKey(parseRepositoryUrl(source.url).url, source.submodule),
  );
}

/** Ignores a failed prune: old refs only use space, and the next day it is tried again. */
function tomorrow(error: unknown): void {
  if (!(error instanceof WorkspaceError)) throw error;
}

/** The commit of a ref or full object id in a mirror; null when it is missing. */
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

type Remote = { url: RepositoryUrl; signal: AbortSignal | undefined; isPublic: boolean };

/** Created beside and renamed, so that a crash never leaves a partial mirror under its name. */
async function createMirror(workspaces: Workspaces, path: string, remote: Remote): Promise<void> {
  const draft = join(workspaces.paths.temporary, `mirror-${randomBytes(8).toString('hex')}`);
  try {
    await workspaces.git.run({
      args: ['init', '--quiet', '--bare', '--template=', '--shared=0644', draft],
    });
    await fetchInto(workspaces, draft, { ...remote, mirrorPath: path });
    await rename(draft, path);
  } finally {
    await deleteTree(draft);
  }
}

async function fetchInto(
  workspaces: Workspaces,
  path: string,
  from: Remote & { mirrorPath: string },
): Promise<void> {
  const { url, signal, isPublic, mirrorPath } = from;
  await askRemote(url.url, () =>
    workspaces.git.run({
      gitDir: path,
      args: [
        'fetch',
        '--progress',
        '--prune',
        '--force',
        '--no-tags',
        '--no-write-fetch-head',
        '--end-of-options',
        url.url,
        ...REFSPECS,
      ],
      remoteUrl: url.url,
      anonymous: isPublic,
      timeoutMs: FETCH_TIMEOUT_MS,
      onProgress: (progress) => reportFetch(mirrorPath, progress),
      limits: TRANSFER_LIMITS,
      ...(signal === undefined ? {} : { signal }),
    }),
  );
}

async function remoteHead(
  workspaces: Workspaces,
  path: string,
  { url, signal, isPublic }: Remote,
): Promise<string> {
  const result = await askRemote(url.url, () =>
    workspaces.git.run({
      gitDir: path,
      args: ['ls-remote', '--symref', '--end-of-options', url.url, 'HEAD'],
      remoteUrl: url.url,
      anonymous: isPublic,
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

/** Written only on a difference, so that an abandoned lock does not delay it needlessly. */
async function pointHead(workspaces: Workspaces, path: string, branch: string): Promise<void> {
  const at = { gitDir: path, purpose: 'symbolic-ref' };
  const found = await workspaces.git.run({
    ...at,
    args: ['symbolic-ref', '--quiet', 'HEAD'],
    okExitCodes: [0, 1],
  });
  if (found.stdout.trim() === headRef(branch)) return;
  await patiently(path, () =>
    workspaces.git.run({ ...at, args: ['symbolic-ref', 'HEAD', headRef(branch)] }),
  );
}

function headRef(branch: string): string {
  return `refs/heads/${branch}`;
}

/** Runs a query and rewords git's message about a place without a repository. */
export async function askRemote<T>(url: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof WorkspaceError) || error.code !== 'git_failed') throw error;
    const missing = /does not appear to be a git repository|repository .*not found/i;
    if (!missing.test(error.message)) throw error;
    // For a folder of this host git only guesses that access is missing.
    const why = /^file:/i.test(url)
      ? 'the folder is there, but no repository is in it: name the folder of one, or make one there with git init --bare'
      : error.message;
    throw new WorkspaceError('repository_missing', `there is no git repository at ${url}: ${why}`);
  }
}
