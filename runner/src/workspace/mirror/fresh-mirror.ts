import { containedPath } from '../disk/contained-path.ts';
import { assertBranchName } from '../git/branch-name.ts';
import type { Workspaces } from '../open-workspaces.ts';
import type { RepositorySource } from '../workspace.ts';
import { interruptCollection } from './collect-garbage.ts';
import { mirrorKey } from './mirror-key.ts';
import {
  askRemote,
  checkedSource,
  type Fetched,
  type Mirror,
  mirrorCommit,
  namedDefault,
  updateMirrorUnless,
} from './mirror.ts';
import { join } from 'node:path';

const ASK_TIMEOUT_MS = 60_000;

/**
 * The mirror with the default branch and `branches` in the remote's present state. The remote is
 * queried; only branches that moved are fetched, and another running fetch is awaited only then.
 * Throws as updateMirror.
 */
export async function freshMirror(
  workspaces: Workspaces,
  source: RepositorySource,
  options: { branches?: readonly string[]; signal?: AbortSignal | undefined } = {},
): Promise<Mirror> {
  const { branches = [], signal } = options;
  for (const branch of branches) assertBranchName(branch);
  const { url } = checkedSource(source);
  const { path, exists } = await containedPath(
    workspaces.paths.mirrors,
    mirrorKey(url, source.submodule),
  );
  if (!exists) return updateMirrorUnless(workspaces, source, { signal });
  interruptCollection(path);
  const remote = await askHeads(workspaces, { path, url, signal, branches, source });
  const { defaultBranch } = remote;
  if (defaultBranch === null) return updateMirrorUnless(workspaces, source, { signal });
  const isFresh = async (): Promise<boolean> => {
    for (const branch of [defaultBranch, ...branches]) {
      const commit = await mirrorCommit(workspaces, path, `refs/heads/${branch}`);
      if (commit !== (remote.heads.get(branch) ?? null)) return false;
    }
    return remote.heads.has(defaultBranch);
  };
  if (await isFresh()) return { path, objectsPath: join(path, 'objects'), url, defaultBranch };
  // The branch of the remote's HEAD may have been renamed; only a configured one must exist.
  const chooseDefault = async (fetched: Fetched): Promise<string> =>
    (await fetched.has(defaultBranch))
      ? defaultBranch
      : namedDefault({ ...fetched, configured: source.defaultBranch });
  const asked = { ...source, defaultBranch };
  return updateMirrorUnless(workspaces, asked, { isFresh, signal, chooseDefault });
}

/** Commits of the remote's branches; the default branch is null when the remote names none. */
async function askHeads(
  workspaces: Workspaces,
  input: {
    path: string;
    url: string;
    branches: readonly string[];
    source: RepositorySource;
    signal: AbortSignal | undefined;
  },
): Promise<{ defaultBranch: string | null; heads: Map<string, string> }> {
  const { path, url, signal } = input;
  const { defaultBranch: named } = input.source;
  const wanted = [...(named === undefined ? [] : [named]), ...input.branches];
  const patterns = ['HEAD', ...wanted.map((branch) => `refs/heads/${branch}`)];
  const { stdout } = await askRemote(url, () =>
    workspaces.git.run({
      gitDir: path,
      args: ['ls-remote', '--symref', '--end-of-options', url, ...patterns],
      remoteUrl: url,
      anonymous: input.source.submodule === 'public',
      timeoutMs: ASK_TIMEOUT_MS,
      ...(signal === undefined ? {} : { signal }),
    }),
  );
  const heads = new Map<string, string>();
  for (const [, commit = '', branch = ''] of stdout.matchAll(
    /^([0-9a-f]{40,64})\trefs\/heads\/(\S+)$/gm,
  ))
    heads.set(branch, commit);
  const pointed = /^ref: refs\/heads\/(\S+)\tHEAD$/m.exec(stdout)?.[1];
  const head = /^([0-9a-f]{40,64})\tHEAD$/m.exec(stdout)?.[1];
  if (pointed !== undefined && head !== undefined) heads.set(pointed, head);
  const defaultBranch = named ?? pointed ?? null;
  if (defaultBranch !== null) assertBranchName(defaultBranch);
  return { defaultBranch, heads };
}
