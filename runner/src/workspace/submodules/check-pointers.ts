import { cutText } from '@switchyard/shared/text/cut-text';
import { shownPath } from '../git/shown-path.ts';
import { askRemote, mirrorCommit } from '../mirror/mirror.ts';
import type { Workspaces } from '../open-workspaces.ts';
import type { PushProblem } from '../push-checks/check-push.ts';
import { SUBMODULE, changesIn, compareTrees, type TreePair } from '../push-checks/compare-trees.ts';
import { treesOf } from '../push-checks/trees-of.ts';
import { type RepositorySource, WorkspaceError } from '../workspace.ts';
import { updateSubmoduleMirror } from './borrow-from-mirror.ts';
import { type DeclaredSubmodule, declaredSubmodules } from './declared-submodules.ts';
import { submoduleSource, whyNotFetched } from './submodule-source.ts';

export type PointerCheck = {
  mirrorPath: string;
  repositoryUrl: string;
  /** Further repositories that the operator allows as submodules. */
  named: readonly string[];
  baseBranch: string;
  baseCommit: string;
  commitSha: string;
  signal?: AbortSignal | undefined;
};

const MAX_PROBLEMS = 20;
/** Each pointer may cause a request to a remote. */
const MAX_POINTERS = 200;
/** Limit on addresses that only the agent chose. */
const MAX_NEW_ADDRESSES = 20;
const TIMEOUT_MS = 120_000;
const MAX_REFS_BYTES = 8 * 1024 * 1024;
const REFUSING: ReadonlySet<WorkspaceError['code']> = new Set([
  'repository_refused',
  'repository_missing',
  'host_auth_failed',
  'limit_exceeded',
]);

/**
 * Submodules whose pointer the work changes or adds, and whose remote is not known to have the
 * commit on a branch or tag, so that nobody could check it out. Changes from the base branch do not
 * count. Throws WorkspaceError for temporary failures of the remote.
 */
export async function checkPointers(
  workspaces: Workspaces,
  check: PointerCheck,
): Promise<PushProblem[]> {
  const { mirrorPath, commitSha } = check;
  const fork = await forkOf(workspaces, check);
  const pointers = await movedPointers(workspaces, check, fork);
  if (pointers.length === 0) return [];
  if (pointers.length > MAX_POINTERS) {
    const message = `the work moves or adds ${pointers.length} submodules, and at most ${MAX_POINTERS} are looked at`;
    return [{ rule: 'submodule_pointer', path: null, line: null, message }];
  }
  const [before, now] = await Promise.all(
    [fork, commitSha].map((commit) => declaredSubmodules(workspaces, { mirrorPath, commit })),
  );
  const problems: PushProblem[] = [];
  const seen: Seen = { mirrors: new Map(), heads: new Map() };
  for (const [path, commit] of pointers) {
    if (problems.length >= MAX_PROBLEMS) break;
    const declared = now?.get(path);
    const known = [...(before?.values() ?? [])];
    const why = await whyNot(workspaces, check, { commit, declared, known, seen });
    if (why === null) continue;
    const message = `points to ${commit}, and ${why}`;
    const shown = shownPath(cutText(path, 500));
    problems.push({ rule: 'submodule_pointer', path: shown, line: null, message });
  }
  return problems;
}

/** Where the work left the base branch, or last merged it. */
async function forkOf(
  { git }: Workspaces,
  { mirrorPath, baseBranch, baseCommit, commitSha, signal }: PointerCheck,
): Promise<string> {
  const { stdout } = await git.run({
    gitDir: mirrorPath,
    timeoutMs: TIMEOUT_MS,
    args: ['merge-base', commitSha, `refs/heads/${baseBranch}`],
    okExitCodes: [0, 1, 128],
    ...(signal === undefined ? {} : { signal }),
  });
  return stdout.trim() === '' ? baseCommit : stdout.trim();
}

async function movedPointers(
  workspaces: Workspaces,
  { mirrorPath, commitSha, signal }: PointerCheck,
  fork: string,
): Promise<[path: string, commit: string][]> {
  const at = { mirrorPath, ...(signal === undefined ? {} : { signal }) };
  const trees = await treesOf(workspaces, at, [fork, commitSha]);
  const pair: TreePair = [trees.get(fork) ?? '', trees.get(commitSha) ?? ''];
  const found = await compareTrees(workspaces, at, [pair]);
  if (found === null)
    throw new WorkspaceError('limit_exceeded', 'the work changes far more than can be looked at');
  return [...changesIn(found, pair)].flatMap(([path, { mode, toId }]) =>
    mode === SUBMODULE ? [[path, toId] as [string, string]] : [],
  );
}

/** Why a pointer cannot be delivered, as the end of a sentence; null when it can. */
async function whyNot(
  workspaces: Workspaces,
  check: PointerCheck,
  pointer: {
    commit: string;
    declared: DeclaredSubmodule | undefined;
    known: readonly DeclaredSubmodule[];
    seen: Seen;
  },
): Promise<string | null> {
  const { repositoryUrl, signal } = check;
  const { commit, declared, known, seen } = pointer;
  if (declared === undefined) return 'no submodule is declared there in .gitmodules';
  const around = { repositoryUrl, named: [repositoryUrl, ...check.named] };
  const found = submoduleSource(declared.address, around);
  if ('refused' in found)
    return `${found.refused}, so nobody knows whether its remote has that commit`;
  const { source } = found;
  const isTrusted =
    source.submodule === 'named' ||
    known.some(({ address }) => {
      const one = submoduleSource(address, around);
      return 'source' in one && one.source.url === source.url;
    });
  if (!isTrusted && !seen.heads.has(source.url) && seen.heads.size >= MAX_NEW_ADDRESSES)
    return `at most ${MAX_NEW_ADDRESSES} remotes are asked that the base branch does not know`;
  try {
    const isThere = isTrusted
      ? await isOnBranch(workspaces, { source, commit, signal }, seen)
      : await isHead(workspaces, { source, commit, signal }, seen);
    if (isThere) return null;
    return isTrusted
      ? `${source.url} has that commit on no branch and no tag: check out one there that it has`
      : `no branch and no tag of ${source.url} stands there: a new submodule begins at one`;
  } catch (error) {
    if (!(error instanceof WorkspaceError) || signal?.aborted === true) throw error;
    // An address that the work itself added may never answer, which must not make the attempt
    // repeat.
    if (isTrusted && !REFUSING.has(error.code)) throw error;
    return `its remote could not be asked for that commit: ${whyNotFetched(source, error)}`;
  }
}

/** Results of this check so far: fetched mirrors, and branches and tags of queried remotes. */
type Seen = { mirrors: Map<string, string>; heads: Map<string, ReadonlySet<string>> };
type Asked = { source: RepositorySource; commit: string; signal: AbortSignal | undefined };

async function isOnBranch(
  workspaces: Workspaces,
  { source, commit, signal }: Asked,
  { mirrors }: Seen,
): Promise<boolean> {
  const key = `${source.submodule} ${source.url}`;
  const gitDir = mirrors.get(key) ?? (await updateSubmoduleMirror(workspaces, source, signal)).path;
  mirrors.set(key, gitDir);
  if ((await mirrorCommit(workspaces, gitDir, commit)) === null) return false;
  const { stdout } = await workspaces.git.run({
    gitDir,
    timeoutMs: TIMEOUT_MS,
    args: ['rev-list', '--max-count=1', commit, '--not', '--branches', '--tags', '--'],
    ...(signal === undefined ? {} : { signal }),
  });
  return stdout.trim() === '';
}

/** Queries without fetching, because only the agent chose this address. */
async function isHead(
  { git }: Workspaces,
  { source, commit, signal }: Asked,
  { heads }: Seen,
): Promise<boolean> {
  const { url } = source;
  const known = heads.get(url);
  if (known !== undefined) return known.has(commit);
  const { stdout } = await askRemote(url, () =>
    git.run({
      args: ['ls-remote', '--heads', '--tags', '--end-of-options', url],
      remoteUrl: url,
      anonymous: source.submodule === 'public',
      maxOutputBytes: MAX_REFS_BYTES,
      ...(signal === undefined ? {} : { signal }),
    }),
  );
  const found = new Set(stdout.split('\n').map((line) => line.split('\t', 1)[0] ?? ''));
  heads.set(url, found);
  return found.has(commit);
}
