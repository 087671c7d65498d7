import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cutText } from '@switchyard/shared/text/cut-text';
import type { WorkIdentity } from '../../container/container-engine.ts';
import { submoduleCloneConfigText, submoduleConfigText } from '../clone/clone-config-text.ts';
import { initClone } from '../clone/init-clone.ts';
import { checkOut } from '../clone/make-clone.ts';
import { lstatOrNull } from '../disk/contained-path.ts';
import { ownFreshTree } from '../disk/own-tree.ts';
import { removeTree } from '../disk/remove-tree.ts';
import { TREE_LIMITS } from '../git/git-limits.ts';
import { shownPath } from '../git/shown-path.ts';
import { weighTree } from '../objects/assert-trees-fit.ts';
import type { Workspaces } from '../open-workspaces.ts';
import { type CommitIdentity, type RepositorySource, WorkspaceError } from '../workspace.ts';
import { type DeclaredSubmodule, declaredSubmodules } from './declared-submodules.ts';
import { borrowFromMirror } from './borrow-from-mirror.ts';
import { pointersAt } from './pointers-at.ts';
import { submoduleSource, whyNotFetched } from './submodule-source.ts';

export type SubmodulesPlan = {
  /** Key of the workspace. */
  key: string;
  /** A clone with files that no agent has seen. */
  draft: string;
  mirrorPath: string;
  repositoryUrl: string;
  /** The base commit: only the .gitmodules that people merged decides what is fetched. */
  baseCommit: string;
  /** The checked-out commit. */
  startCommit: string;
  /** Further repositories that the operator allows as submodules. */
  named: readonly string[];
  identity: CommitIdentity;
  owner: WorkIdentity;
  sparsePaths?: readonly string[] | undefined;
  signal?: AbortSignal | undefined;
  /** Ends the time for all submodules together; the rest stay empty. Default: after 20 minutes. */
  timeLimit?: AbortSignal;
};

export type CheckedOut = { mirrorPaths: string[]; notices: string[] };

const MAX_DEPTH = 3;
const MAX_SUBMODULES = 50;
const MAX_NOTICES = 20;
const MAX_REFS = 5_000;
const MAX_MINUTES = 20;
const TOO_LONG = `all submodules together took longer than ${MAX_MINUTES} min`;

/**
 * Checks out a new clone's submodules recursively: each as a clone of its own that borrows a
 * mirror's objects, at the commit of its pointer, with its remote's branches. Unavailable ones are
 * reported, and their folders stay empty. Throws WorkspaceError when a repository that the operator
 * named does not answer, or on cancellation.
 */
export async function checkOutSubmodules(
  workspaces: Workspaces,
  plan: SubmodulesPlan,
): Promise<CheckedOut> {
  const run = {
    mirrorPaths: new Set<string>(),
    notices: [] as string[],
    count: 0,
    bytesLeft: TREE_LIMITS.MAX_CHECKOUT_BYTES,
    timeLimit: plan.timeLimit ?? AbortSignal.timeout(MAX_MINUTES * 60_000),
  };
  const { draft, mirrorPath, repositoryUrl, baseCommit, startCommit } = plan;
  await checkOutBelow(workspaces, plan, run, {
    folder: draft,
    prefix: '',
    depth: 1,
    mirrorPath,
    repositoryUrl,
    declaredBy: baseCommit,
    commit: startCommit,
  });
  run.notices.push(...(await declaredByWork(workspaces, plan)));
  const left = run.notices.length - MAX_NOTICES;
  const more = left > 0 ? [`${left} further submodules are not checked out.`] : [];
  return {
    mirrorPaths: [...run.mirrorPaths],
    notices: [...run.notices.slice(0, MAX_NOTICES), ...more],
  };
}

/** Submodules that stay empty because people have not merged their declaration yet. */
async function declaredByWork(
  workspaces: Workspaces,
  { mirrorPath, baseCommit, startCommit }: SubmodulesPlan,
): Promise<string[]> {
  if (startCommit === baseCommit) return [];
  const [base, work] = await Promise.all(
    [baseCommit, startCommit].map((commit) =>
      declaredSubmodules(workspaces, { mirrorPath, commit }),
    ),
  );
  const paths = [...(work?.keys() ?? [])].filter((path) => base?.has(path) !== true);
  const pointers = await pointersAt(workspaces, { mirrorPath, commit: startCommit, paths });
  return pointers.map(([path]) => notCheckedOut(path, 'it is not declared in the base branch yet'));
}

function notCheckedOut(path: string, why: string): string {
  const shown = shownPath(cutText(path, 500));
  return `The submodule ${shown} was not checked out by the runner: ${why}.`;
}

/** One sentence about all submodules of a workspace in which they are not checked out. */
export async function unattendedSubmodules(
  workspaces: Workspaces,
  at: { mirrorPath: string; commit: string; why: 'hook_clones' | 'made_before' },
): Promise<string[]> {
  const declared = await declaredSubmodules(workspaces, at);
  const paths = [...(declared?.keys() ?? [])].slice(0, MAX_NOTICES);
  if (paths.length === 0) return [];
  const shown = paths.map((path) => shownPath(cutText(path, 100))).join(', ');
  return [
    at.why === 'hook_clones'
      ? `The after_create hook clones: submodules (${shown}) are checked out only where it does that.`
      : `Submodules (${shown}) were not checked out by the runner: this workspace was made before it did that; a new workspace has them.`,
  ];
}

/** State of one call. */
type Run = {
  mirrorPaths: Set<string>;
  notices: string[];
  count: number;
  bytesLeft: number;
  timeLimit: AbortSignal;
};

/** A repository with files whose submodules are to be checked out. */
type Around = {
  folder: string;
  /** Its path in the workspace with a final slash; empty for the workspace itself. */
  prefix: string;
  depth: number;
  mirrorPath: string;
  repositoryUrl: string;
  declaredBy: string;
  commit: string;
};

async function checkOutBelow(
  workspaces: Workspaces,
  plan: SubmodulesPlan,
  run: Run,
  around: Around,
): Promise<void> {
  const { prefix, mirrorPath, declaredBy, commit } = around;
  const declared = await declaredSubmodules(workspaces, { mirrorPath, commit: declaredBy });
  if (declared === null) {
    run.notices.push(`No submodule is checked out: ${prefix}.gitmodules cannot be read.`);
    return;
  }
  if (declared.size === 0) return;
  const paths = [...declared.keys()];
  const pointers = await pointersAt(workspaces, { mirrorPath, commit, paths });
  for (const [path, pointer] of pointers) {
    const submodule = declared.get(path);
    if (submodule === undefined) continue;
    const place = join(around.folder, path);
    const isThere = await isPlainFolder(around.folder, path);
    if (!isThere && plan.sparsePaths !== undefined) continue;
    const why = isThere
      ? await oneOf(workspaces, plan, run, { around, submodule, pointer, place })
      : 'its folder is not there';
    if (why === null) continue;
    run.notices.push(notCheckedOut(prefix + path, why));
  }
}

/** Checks out one submodule; returns why that failed, as the end of a sentence, or null. */
async function oneOf(
  workspaces: Workspaces,
  plan: SubmodulesPlan,
  run: Run,
  given: { around: Around; submodule: DeclaredSubmodule; pointer: string; place: string },
): Promise<string | null> {
  const { around, submodule, pointer, place } = given;
  const { repositoryUrl, prefix, depth } = around;
  if (depth > MAX_DEPTH) return `submodules are nested more than ${MAX_DEPTH} deep`;
  if (submodule.isLeftOut) return '.gitmodules says "update = none"';
  if (run.count >= MAX_SUBMODULES) return `at most ${MAX_SUBMODULES} are`;
  if (run.timeLimit.aborted) return TOO_LONG;
  const named = [plan.repositoryUrl, ...plan.named];
  const found = submoduleSource(submodule.address, { repositoryUrl, named });
  if ('refused' in found) return found.refused;
  run.count += 1;
  const { source } = found;
  try {
    const signal = AbortSignal.any([
      run.timeLimit,
      ...(plan.signal === undefined ? [] : [plan.signal]),
    ]);
    const mirrorPath = await borrowFromMirror(workspaces, {
      source,
      commit: pointer,
      key: plan.key,
      signal,
    });
    if (mirrorPath === null) return `${source.url} does not have its commit ${pointer}`;
    run.mirrorPaths.add(mirrorPath);
    run.bytesLeft -= await weighTree(workspaces, {
      mirrorPath,
      commit: pointer,
      maxBytes: run.bytesLeft,
    });
    await fill(
      workspaces,
      { ...plan, signal },
      { place, mirrorPath, url: source.url, commit: pointer },
    );
    const ownConfig = join(around.folder, '.git', 'config');
    await appendFile(ownConfig, submoduleConfigText(submodule.name, source.url));
    await checkOutBelow(workspaces, plan, run, {
      folder: place,
      prefix: `${prefix}${submodule.path}/`,
      depth: depth + 1,
      mirrorPath,
      repositoryUrl: source.url,
      declaredBy: pointer,
      commit: pointer,
    });
    await ownFreshTree(place, plan.owner);
    return null;
  } catch (error) {
    if (!(error instanceof WorkspaceError) || mustStop(error, source, plan)) throw error;
    // A partial checkout would count as work.
    await removeTree(workspaces.paths, place);
    await mkdir(place);
    await ownFreshTree(place, plan.owner);
    return run.timeLimit.aborted ? TOO_LONG : whyNotFetched(source, error);
  }
}

/**
 * Whether a failure must stop the attempt: as for the repository itself, a named one's host may
 * answer soon.
 */
function mustStop(
  { code }: WorkspaceError,
  { submodule }: RepositorySource,
  { signal }: SubmodulesPlan,
): boolean {
  return signal?.aborted === true || (code === 'host_unreachable' && submodule === 'named');
}

/** Whether the path is a folder, as git has created it, and no part of it is a link. */
async function isPlainFolder(folder: string, path: string): Promise<boolean> {
  let at = folder;
  for (const part of path.split('/')) {
    at = join(at, part);
    if ((await lstatOrNull(at))?.isDirectory() !== true) return false;
  }
  return true;
}

async function fill(
  workspaces: Workspaces,
  { identity, owner, signal }: SubmodulesPlan,
  {
    place,
    mirrorPath,
    url,
    commit,
  }: { place: string; mirrorPath: string; url: string; commit: string },
): Promise<void> {
  await initClone(workspaces, place, signal);
  const { stdout: refs } = await workspaces.git.run({
    gitDir: mirrorPath,
    args: [
      'for-each-ref',
      `--count=${MAX_REFS}`,
      '--format=%(objectname) %(refname)',
      'refs/heads',
      'refs/tags',
    ],
  });
  const gitFolder = join(place, '.git');
  const files = {
    'packed-refs': refs.replaceAll(/^(\S+) refs\/heads\//gm, '$1 refs/remotes/origin/'),
    'objects/info/alternates': `${join(mirrorPath, 'objects')}\n`,
  };
  await mkdir(join(gitFolder, 'objects', 'info'), { recursive: true });
  for (const [name, text] of Object.entries(files)) await writeFile(join(gitFolder, name), text);
  await appendFile(join(gitFolder, 'config'), submoduleCloneConfigText({ identity, owner, url }));
  const args = ['--force', '--detach', commit, '--'];
  await checkOut(workspaces, signal === undefined ? {} : { signal }, { path: place, args });
}
