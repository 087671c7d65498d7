import { randomBytes } from 'node:crypto';
import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorkIdentity } from '../container/container-engine.ts';
import { assertOwnBranchName, branchNameFor } from './git/branch-name.ts';
import { containedPath, lstatOrNull } from './disk/contained-path.ts';
import { assertTreesFit } from './objects/assert-trees-fit.ts';
import { TRANSFER_LIMITS } from './git/git-limits.ts';
import { type Mirror, mirrorCommit, updateMirror } from './mirror/mirror.ts';
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
  issue: { identifier: string; title: string };
  source: RepositorySource;
  /** Who the agent's own commits are by, until it says otherwise. */
  identity: CommitIdentity;
  /** Below `switchyard/`. Default: made from the issue. */
  branch?: string;
  /** Work of an earlier attempt to continue from, if the repository has it. Default: the base. */
  startCommit?: string;
  /** An after_create hook will run; until `runCreationHook` succeeded the workspace counts as new. */
  hasCreationHook?: boolean;
  /** That hook makes the clone itself, in an empty folder. */
  hookClones?: boolean;
  nowMs: number;
  /** Whom the agent's files belong to; left out: as the workspaces were opened. */
  owner?: WorkIdentity;
  signal?: AbortSignal;
};

const CLONE_TIMEOUT_MS = 10 * 60_000;

/** Ref in the mirror that keeps a workspace's borrowed history from being collected. */
export function baseRef(key: string): string {
  return `refs/switchyard/base/${refComponent(key)}`;
}

/** As baseRef, for the base branch as it was when the clone was made. */
export function upstreamRef(key: string): string {
  return `refs/switchyard/upstream/${refComponent(key)}`;
}

/**
 * The issue's workspace: the one that exists, untouched by host git, or a new clone that borrows
 * the mirror's objects. A workspace made for another repository is replaced. Throws
 * WorkspaceError.
 */
export async function prepareWorkspace(
  workspaces: Workspaces,
  input: PrepareInput,
): Promise<PreparedWorkspace> {
  const key = workspaceKey(input.issue.identifier);
  if (input.branch !== undefined) assertOwnBranchName(input.branch);
  return workspaces.lock(`workspace:${key}`, async () => {
    const existing = await findReusable(workspaces, key, input);
    if (existing !== null) return existing;
    const mirror = await updateMirror(workspaces, input.source, input.signal);
    return workspaces.lock(`mirror:${mirror.path}`, () => create(workspaces, key, mirror, input));
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
      'workspace_unusable',
      `there is a folder for workspace ${key} that this runner did not make; remove the workspace`,
    );
  }
  const sameRepository = record.repositoryUrl === parseRepositoryUrl(input.source.url).url;
  const whole = await hasOwnGit(path, record.mirrorPath);
  if (!sameRepository || record.creationPending || !whole) {
    await removeTree(workspaces.paths, path);
    return null;
  }
  const current = await followBaseBranch(workspaces, record, input);
  await ownUsedTree(path, ownerOf(workspaces, input));
  return prepared(path, current, false);
}

function ownerOf(workspaces: Workspaces, { owner }: PrepareInput): WorkIdentity {
  return owner === undefined ? workspaces.workIdentity : owner;
}

/** A base branch that was named anew for the route applies to work that exists as well. */
async function followBaseBranch(
  workspaces: Workspaces,
  record: WorkspaceRecord,
  input: PrepareInput,
): Promise<WorkspaceRecord> {
  const wanted = input.source.defaultBranch ?? record.baseBranch;
  if (wanted === record.baseBranch) return record;
  const mirror = await updateMirror(workspaces, input.source, input.signal);
  const fork = await workspaces.git.run({
    gitDir: mirror.path,
    args: ['merge-base', `refs/heads/${wanted}`, record.baseCommit],
    okExitCodes: [0, 1],
  });
  const baseCommit = fork.stdout.trim();
  if (baseCommit === '') {
    throw new WorkspaceError(
      'workspace_unusable',
      `workspace ${record.key} began on ${record.baseBranch}, which shares no history with ${wanted}; remove the workspace`,
    );
  }
  const followed = { ...record, baseBranch: wanted, baseCommit };
  await writeWorkspaceRecord(workspaces.paths.records, followed);
  return followed;
}

/** Looked at by name only: host git must never run where an agent has written. */
async function hasOwnGit(path: string, mirrorPath: string): Promise<boolean> {
  const gitFolder = await lstatOrNull(join(path, '.git'));
  const objects = await lstatOrNull(join(mirrorPath, 'objects'));
  return gitFolder?.isDirectory() === true && objects?.isDirectory() === true;
}

async function create(
  workspaces: Workspaces,
  key: string,
  mirror: Mirror,
  input: PrepareInput,
): Promise<PreparedWorkspace> {
  const { path } = await containedPath(workspaces.paths.workspaces, key);
  const start = await startingPoint(workspaces, mirror, input.startCommit);
  const record: WorkspaceRecord = {
    key,
    identifier: input.issue.identifier,
    repositoryUrl: mirror.url,
    mirrorPath: mirror.path,
    branch: input.branch ?? branchNameFor(input.issue),
    baseBranch: mirror.defaultBranch,
    baseCommit: start.baseCommit,
    createdAtMs: input.nowMs,
    creationPending: input.hasCreationHook === true,
  };
  await keepReachable(workspaces, mirror.path, baseRef(key), start.commit);
  await keepReachable(workspaces, mirror.path, upstreamRef(key), start.head);
  const { path: mirrorPath } = mirror;
  await assertTreesFit(workspaces, { mirrorPath, roots: [start.commit], withBytes: true });
  const draft = join(workspaces.paths.temporary, `clone-${randomBytes(8).toString('hex')}`);
  try {
    if (input.hookClones === true) await mkdir(draft, { mode: 0o755 });
    else await clone(workspaces, { draft, mirror, record, startCommit: start.commit, input });
    await ownFreshTree(draft, ownerOf(workspaces, input));
    await writeWorkspaceRecord(workspaces.paths.records, record);
    await rename(draft, path);
  } finally {
    await removeTree(workspaces.paths, draft);
  }
  const made = prepared(path, record, true);
  return input.hookClones === true ? { ...made, toClone: { startCommit: start.commit } } : made;
}

/** The base is where the work left the base branch, also when it continues from a later commit. */
async function startingPoint(
  workspaces: Workspaces,
  mirror: Mirror,
  startCommit: string | undefined,
): Promise<{ head: string; commit: string; baseCommit: string }> {
  const head = await mirrorCommit(workspaces, mirror.path, `refs/heads/${mirror.defaultBranch}`);
  if (head === null) throw new WorkspaceError('repository_missing', `${mirror.url} has no commits`);
  if (startCommit === undefined || !/^[0-9a-f]{40,64}$/.test(startCommit)) {
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
  // Already merged, or a foreign history: start afresh.
  if (baseCommit === '' || baseCommit === commit) return { head, commit: head, baseCommit: head };
  return { head, commit, baseCommit };
}

async function keepReachable(
  workspaces: Workspaces,
  mirrorPath: string,
  ref: string,
  commit: string,
): Promise<void> {
  await workspaces.git.run({ gitDir: mirrorPath, args: ['update-ref', ref, commit] });
}

/**
 * Only the base branch is known inside: every borrowed object is then reachable from our own
 * refs, whatever the remote deletes later. Origin names the remote, not a path on this host.
 * The container's uid must own the clone; the mirror's objects only have to be readable.
 */
async function clone(
  workspaces: Workspaces,
  plan: {
    draft: string;
    mirror: Mirror;
    record: WorkspaceRecord;
    startCommit: string;
    input: PrepareInput;
  },
): Promise<void> {
  const { draft, mirror, record, input } = plan;
  const inClone = [`--git-dir=${join(draft, '.git')}`, `--work-tree=${draft}`];
  const run = (purpose: string, args: readonly string[]): Promise<unknown> =>
    workspaces.git.run({
      purpose,
      args,
      timeoutMs: CLONE_TIMEOUT_MS,
      limits: TRANSFER_LIMITS,
      ...(input.signal === undefined ? {} : { signal: input.signal }),
    });
  await run('clone', [
    'clone',
    '--quiet',
    '--shared',
    '--no-checkout',
    '--config',
    `user.name=${input.identity.name}`,
    '--config',
    `user.email=${input.identity.email}`,
    '--no-tags',
    '--template=',
    '--single-branch',
    '--branch',
    record.baseBranch,
    '--',
    mirror.path,
    draft,
  ]);
  await run('config', [...inClone, 'config', '--local', 'remote.origin.url', mirror.url]);
  await run('checkout', [
    ...inClone,
    'checkout',
    '--quiet',
    '--no-track',
    '-B',
    record.branch,
    plan.startCommit,
    '--',
  ]);
}

function prepared(path: string, record: WorkspaceRecord, created: boolean): PreparedWorkspace {
  return {
    path,
    objectsPath: join(record.mirrorPath, 'objects'),
    mirrorPath: record.mirrorPath,
    branch: record.branch,
    baseBranch: record.baseBranch,
    baseCommit: record.baseCommit,
    created,
  };
}
