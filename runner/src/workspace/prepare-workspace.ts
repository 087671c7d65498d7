import { randomBytes } from 'node:crypto';
import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorkIdentity } from '../container/container-engine.ts';
import { branchNameFor } from '@switchyard/shared/branch/branch-name-for';
import { assertOwnBranchName } from './git/branch-name.ts';
import { containedPath, lstatOrNull } from './disk/contained-path.ts';
import { assertTreesFit } from './objects/assert-trees-fit.ts';
import type { ClonePlan } from './clone/clone-plan.ts';
import { makeClone } from './clone/make-clone.ts';
import { freshMirror } from './mirror/fresh-mirror.ts';
import { type Mirror, mirrorCommit, updateMirror } from './mirror/mirror.ts';
import { withRefs } from './mirror/with-refs.ts';
import {
  checkOutSubmodules,
  type SubmodulesPlan,
  unattendedSubmodules,
} from './submodules/check-out-submodules.ts';
import { giveBackToMirror } from './submodules/borrow-from-mirror.ts';
import type { Workspaces } from './open-workspaces.ts';
import { ownFreshTree, ownUsedTree } from './disk/own-tree.ts';
import { removeTree } from './disk/remove-tree.ts';
import { parseRepositoryUrl } from './git/repository-url.ts';
import type { CommitIdentity, PreparedWorkspace, RepositorySource } from './workspace.ts';
import { WorkspaceError } from './workspace.ts';
import { workspaceKey } from '@switchyard/shared/protocol/workspace-key';
import { refComponent } from './ref-component.ts';
import type { WorkspaceRecord } from './workspace-record.ts';
import { readWorkspaceRecord, writeWorkspaceRecord } from './workspace-record.ts';

export type PrepareInput = {
  issue: { identifier: string; title: string; id?: string };
  /** Name of the workspace's folder and refs. Default: derived from the identifier. */
  key?: string;
  source: RepositorySource;
  /** Author of the agent's own commits, unless it sets another. */
  identity: CommitIdentity;
  /** Branch below `switchyard/`. Default: derived from the issue. */
  branch?: string;
  /** Work of an earlier attempt to continue from, if the repository has it. Default: the base. */
  startCommit?: string;
  /**
   * An after_create hook will run; until `runCreationHook` succeeds the workspace counts as new.
   */
  hasCreationHook?: boolean;
  /** A workspace that is made now is used once: whoever works here later gets another. */
  isForReview?: boolean;
  /** The hook creates the clone itself in an empty folder. */
  hookClones?: boolean;
  /** Folders of a new clone, with the files above them. Default: everything. */
  sparsePaths?: readonly string[];
  /** Repositories that the operator allows as submodules, besides public ones of the same host. */
  namedSubmodules?: readonly string[];
  nowMs: number;
  /** Owner of the agent's files; left out: as the workspaces were opened. */
  owner?: WorkIdentity;
  signal?: AbortSignal;
};

const OBJECT_ID = /^[0-9a-f]{40,64}$/;

/** Ref in the mirror that protects a workspace's borrowed history from collection. */
export function baseRef(key: string): string {
  return `refs/switchyard/base/${refComponent(key)}`;
}

/** Ref in the mirror for the base branch at the time of the workspace's clone. */
export function upstreamRef(key: string): string {
  return `refs/switchyard/upstream/${refComponent(key)}`;
}

/**
 * The issue's workspace: the existing one, which host git does not enter, or a new clone that
 * borrows the mirror's objects. A workspace of another repository or issue is replaced. Throws
 * WorkspaceError.
 */
export async function prepareWorkspace(
  workspaces: Workspaces,
  input: PrepareInput,
): Promise<PreparedWorkspace> {
  const key = input.key ?? workspaceKey(input.issue.identifier);
  if (input.branch !== undefined) assertOwnBranchName(input.branch);
  // Work is not continued if it could not be delivered.
  await workspaces.git.assertAllowed(input.source.url);
  return workspaces.lock(`workspace:${key}`, async () => {
    const existing = await findReusable(workspaces, key, input);
    if (existing !== null) return existing;
    const mirror = await mirrorFor(workspaces, input);
    return create(workspaces, key, mirror, input);
  });
}

async function findReusable(
  workspaces: Workspaces,
  key: string,
  input: PrepareInput,
): Promise<PreparedWorkspace | null> {
  const { path, exists } = await containedPath(workspaces.paths.workspaces, key);
  const record = await readWorkspaceRecord(workspaces.paths.records, key);
  if (!exists) return null;
  if (record === null) {
    throw new WorkspaceError(
      'workspace_foreign',
      `there is a folder for workspace ${key} that this runner did not make; move it away or remove the workspace`,
    );
  }
  const sameRepository = record.repositoryUrl === parseRepositoryUrl(input.source.url).url;
  const isUnusable = record.creationPending || record.madeForReview === true;
  const whole = await hasOwnGit(path, [record.mirrorPath, ...(record.submoduleMirrors ?? [])]);
  if (!sameRepository || isOfAnotherIssue(record, input) || isUnusable || !whole) {
    await removeTree(workspaces.paths, path);
    for (const mirrorPath of record.submoduleMirrors ?? [])
      await giveBackToMirror(workspaces, { mirrorPath, key });
    return null;
  }
  const named = await followBranch(workspaces, record, input);
  const current = await followBaseBranch(workspaces, named, input);
  await giveTo(ownerOf(workspaces, input), workspaces, current, { path, signal: input.signal });
  const { mirrorPath, baseCommit: commit } = current;
  const notices =
    current.notices ??
    (await unattendedSubmodules(workspaces, { mirrorPath, commit, why: 'made_before' }));
  return prepared(path, { ...current, notices }, { created: false });
}

/**
 * Whether the workspace belongs to another issue with the same name, for example from a recreated
 * tracker.
 */
function isOfAnotherIssue({ issueId }: WorkspaceRecord, { issue }: PrepareInput): boolean {
  return issueId !== undefined && issue.id !== undefined && issueId !== issue.id;
}

function ownerOf(workspaces: Workspaces, { owner }: PrepareInput): WorkIdentity {
  return owner === undefined ? workspaces.workIdentity : owner;
}

/**
 * Gives the workspace to the attempt's user: attempts of an issue may have different isolations
 * with different users. The record says who owns the files, because agents control everything
 * inside.
 */
async function giveTo(
  owner: WorkIdentity,
  { paths }: Workspaces,
  record: WorkspaceRecord,
  { path, signal }: { path: string; signal: AbortSignal | undefined },
): Promise<void> {
  const { owner: former, ...unknown } = record;
  const isSame = former?.uid === owner?.uid && former?.gid === owner?.gid;
  if (owner === null || isSame) return ownUsedTree(path, owner, { isKnown: true, signal });
  if (former !== undefined) await writeWorkspaceRecord(paths.records, unknown);
  await ownUsedTree(path, owner, { isKnown: false, signal });
  await writeWorkspaceRecord(paths.records, { ...unknown, owner });
}

function ownerRecord(owner: WorkIdentity): Pick<WorkspaceRecord, 'owner'> {
  return owner === null ? {} : { owner };
}

/** Records the attempt's branch: work is delivered there, whatever branch is checked out. */
async function followBranch(
  workspaces: Workspaces,
  record: WorkspaceRecord,
  { branch = record.branch }: PrepareInput,
): Promise<WorkspaceRecord> {
  if (branch === record.branch) return record;
  const followed = { ...record, branch };
  await writeWorkspaceRecord(workspaces.paths.records, followed);
  return followed;
}

/** A changed base branch of the route also applies to existing work. */
async function followBaseBranch(
  workspaces: Workspaces,
  record: WorkspaceRecord,
  input: PrepareInput,
): Promise<WorkspaceRecord> {
  const wanted = input.source.defaultBranch ?? record.baseBranch;
  if (wanted === record.baseBranch) return record;
  const { signal } = input;
  const mirror = await freshMirror(workspaces, input.source, { signal });
  const fork = await workspaces.git.run({
    gitDir: mirror.path,
    args: ['merge-base', `refs/heads/${wanted}`, record.baseCommit],
    okExitCodes: [0, 1],
  });
  const baseCommit = fork.stdout.trim();
  if (baseCommit === '') {
    throw new WorkspaceError(
      'workspace_foreign',
      `workspace ${record.key} began on ${record.baseBranch}, which shares no history with ${wanted}; remove the workspace`,
    );
  }
  const followed = { ...record, baseBranch: wanted, baseCommit };
  await writeWorkspaceRecord(workspaces.paths.records, followed);
  return followed;
}

/** Checks names only: git on the host must never run in a folder that an agent wrote. */
async function hasOwnGit(path: string, mirrorPaths: readonly string[]): Promise<boolean> {
  const objects = mirrorPaths.map((mirrorPath) => join(mirrorPath, 'objects'));
  const found = await Promise.all([join(path, '.git'), ...objects].map(lstatOrNull));
  return found.every((one) => one?.isDirectory() === true);
}

/**
 * The mirror with all branches if a hook may clone any of them, or if earlier work may be on one.
 */
async function mirrorFor(
  workspaces: Workspaces,
  { source, startCommit, hookClones, signal }: PrepareInput,
): Promise<Mirror> {
  if (hookClones === true) return updateMirror(workspaces, source, signal);
  const mirror = await freshMirror(workspaces, source, { signal });
  if (startCommit === undefined || !OBJECT_ID.test(startCommit)) return mirror;
  const isThere = (await mirrorCommit(workspaces, mirror.path, startCommit)) !== null;
  return isThere ? mirror : updateMirror(workspaces, source, signal);
}

async function create(
  workspaces: Workspaces,
  key: string,
  mirror: Mirror,
  input: PrepareInput,
): Promise<PreparedWorkspace> {
  const { path } = await containedPath(workspaces.paths.workspaces, key);
  const start = await withRefs(workspaces, mirror.path, async () => {
    const found = await startingPoint(workspaces, mirror, input.startCommit);
    await keepReachable(workspaces, mirror.path, key, found);
    return found;
  });
  const record: WorkspaceRecord = {
    key,
    identifier: input.issue.identifier,
    ...(input.issue.id === undefined ? {} : { issueId: input.issue.id }),
    repositoryUrl: mirror.url,
    mirrorPath: mirror.path,
    branch: input.branch ?? branchNameFor(input.issue),
    baseBranch: mirror.defaultBranch,
    baseCommit: start.baseCommit,
    createdAtMs: input.nowMs,
    ...ownerRecord(ownerOf(workspaces, input)),
    creationPending: input.hasCreationHook === true,
    ...(input.isForReview === true ? { madeForReview: true } : {}),
  };
  const { path: mirrorPath } = mirror;
  for (const commit of new Set([start.commit, start.head]))
    await assertTreesFit(workspaces, { mirrorPath, roots: [commit], withBytes: true });
  const draft = join(workspaces.paths.temporary, `clone-${randomBytes(8).toString('hex')}`);
  try {
    const owner = ownerOf(workspaces, input);
    const at = { draft, mirror, record, start, input, owner };
    if (input.hookClones === true) {
      await mkdir(draft, { mode: 0o755 });
      await ownFreshTree(draft, owner);
      record.notices = await unattendedSubmodules(workspaces, {
        mirrorPath,
        commit: start.commit,
        why: 'hook_clones',
      });
    } else {
      await makeClone(workspaces, clonePlan(at));
      const { mirrorPaths, notices } = await checkOutSubmodules(workspaces, submodulesPlan(at));
      record.submoduleMirrors = mirrorPaths;
      record.notices = notices;
    }
    await writeWorkspaceRecord(workspaces.paths.records, record);
    await rename(draft, path);
  } finally {
    await removeTree(workspaces.paths, draft);
  }
  const made = prepared(path, record, { created: true });
  return input.hookClones === true ? { ...made, toClone: { startCommit: start.commit } } : made;
}

type StartingPoint = { head: string; commit: string; baseCommit: string };

type Made = {
  draft: string;
  mirror: Mirror;
  record: WorkspaceRecord;
  start: StartingPoint;
  input: PrepareInput;
  owner: WorkIdentity;
};

function submodulesPlan({ draft, mirror, record, start, input, owner }: Made): SubmodulesPlan {
  const { identity, sparsePaths, namedSubmodules: named = [], signal } = input;
  return {
    key: record.key,
    draft,
    mirrorPath: mirror.path,
    repositoryUrl: mirror.url,
    baseCommit: start.baseCommit,
    startCommit: start.commit,
    named,
    identity,
    owner,
    sparsePaths,
    signal,
  };
}

function clonePlan(made: Made): ClonePlan {
  const { draft, mirror, record, start, input, owner } = made;
  const { branch, baseBranch } = record;
  const { identity, sparsePaths, signal } = input;
  return {
    draft,
    mirror,
    branch,
    baseBranch,
    identity,
    owner,
    head: start.head,
    startCommit: start.commit,
    ...(sparsePaths === undefined ? {} : { sparsePaths }),
    ...(signal === undefined ? {} : { signal }),
  };
}

/**
 * The start commit and its base: where the work left the base branch, also when it continues from a
 * later commit.
 */
async function startingPoint(
  workspaces: Workspaces,
  mirror: Mirror,
  startCommit: string | undefined,
): Promise<StartingPoint> {
  const head = await mirrorCommit(workspaces, mirror.path, `refs/heads/${mirror.defaultBranch}`);
  if (head === null) {
    const why = `${mirror.url} lost its branch ${mirror.defaultBranch} while it was looked at`;
    throw new WorkspaceError('git_failed', why);
  }
  if (startCommit === undefined || !OBJECT_ID.test(startCommit)) {
    return { head, commit: head, baseCommit: head };
  }
  const commit = await mirrorCommit(workspaces, mirror.path, startCommit);
  if (commit === null) return { head, commit: head, baseCommit: head };
  const fork = await workspaces.git.run({
    gitDir: mirror.path,
    args: ['merge-base', head, commit],
    okExitCodes: [0, 1],
  });
  const baseCommit = fork.stdout.trim();
  // Already merged, or an unrelated history: start from the head.
  if (baseCommit === '' || baseCommit === commit) return { head, commit: head, baseCommit: head };
  return { head, commit, baseCommit };
}

async function keepReachable(
  workspaces: Workspaces,
  mirrorPath: string,
  key: string,
  { commit, head }: StartingPoint,
): Promise<void> {
  const input = `update ${baseRef(key)} ${commit}\nupdate ${upstreamRef(key)} ${head}\n`;
  await workspaces.git.run({ gitDir: mirrorPath, args: ['update-ref', '--stdin'], input });
}

function prepared(
  path: string,
  record: WorkspaceRecord,
  { created }: { created: boolean },
): PreparedWorkspace {
  const { notices = [], submoduleMirrors = [], putBackTo } = record;
  const submoduleObjects = submoduleMirrors.map((mirrorPath) => join(mirrorPath, 'objects'));
  return {
    path,
    objectsPath: join(record.mirrorPath, 'objects'),
    mirrorPath: record.mirrorPath,
    branch: record.branch,
    baseBranch: record.baseBranch,
    baseCommit: record.baseCommit,
    created,
    ...(submoduleObjects.length === 0 ? {} : { submoduleObjects }),
    ...(notices.length === 0 ? {} : { notices }),
    ...(putBackTo === undefined ? {} : { putBackTo }),
  };
}
