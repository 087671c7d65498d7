import { chmod, mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorkIdentity } from '../container/container-engine.ts';
import { deleteTree } from './disk/delete-tree.ts';
import { makesSnapshots } from './disk/snapshots.ts';
import { type Git, type GitOptions, createGit } from './git/git.ts';
import { createLfsHost, type LfsHost } from './lfs-host/lfs-host.ts';
import { AllowedFolders } from './git/local-remotes/allowed-folders.ts';
import { createKeyedLock, type KeyedLock } from '@switchyard/shared/keyed-lock';

/** What every workspace function needs: the folders, host git, Git LFS, the locks, the owner. */
export type Workspaces = {
  paths: WorkspacePaths;
  git: Git;
  /** Asks code hosts for objects of Git LFS. */
  lfs: LfsHost;
  lock: KeyedLock;
  workIdentity: WorkIdentity;
};

/** All absolute, symlinks resolved, on one file system. Agents see only one folder of `workspaces`. */
export type WorkspacePaths = {
  root: string;
  mirrors: string;
  workspaces: string;
  /** One JSON file per workspace, beside it and out of an agent's reach. */
  records: string;
  /** Emptied at every start. */
  temporary: string;
  /** Checkouts to take snapshots of; absent where the file system makes none. */
  warm?: string;
};

/**
 * Makes the folders under `rootPath`, clears what a crash left, and prepares host git. Throws BadFolder
 * for a folder that may not be allowed.
 */
export async function openWorkspaces(options: {
  rootPath: string;
  /** Everything of this runner: no repository may lie in it. Default: `rootPath`. */
  dataPath?: string;
  /** Folders in which repositories of this host may lie. Default: none. */
  allowFolders?: readonly string[];
  /** Command that starts this runner, for people. Default: not known. */
  startCommand?: string;
  workIdentity: WorkIdentity;
  gitPath?: string;
  /** Hosts beyond the public internet that the operator of this runner opens. */
  privateHosts?: readonly string[];
  remoteEnv?: GitOptions['remoteEnv'];
  remoteCredential?: GitOptions['remoteCredential'];
}): Promise<Workspaces> {
  await mkdir(options.rootPath, { recursive: true, mode: 0o700 });
  const root = await realpath(options.rootPath);
  const paths: WorkspacePaths = {
    root,
    mirrors: join(root, 'mirrors'),
    workspaces: join(root, 'workspaces'),
    records: join(root, 'records'),
    temporary: join(root, 'temporary'),
  };
  await deleteTree(paths.temporary);
  for (const path of [paths.mirrors, paths.workspaces, paths.records, paths.temporary]) {
    await mkdir(path, { recursive: true, mode: 0o755 });
    await chmod(path, 0o755);
  }
  if (await makesSnapshots(paths.temporary)) {
    paths.warm = join(root, 'warm');
    await mkdir(paths.warm, { recursive: true, mode: 0o700 });
  }
  const folders = await AllowedFolders.open(
    options.allowFolders ?? [],
    options.dataPath ?? root,
    options.startCommand,
  );
  const access = {
    ...(options.remoteEnv === undefined ? {} : { remoteEnv: options.remoteEnv }),
    ...(options.remoteCredential === undefined
      ? {}
      : { remoteCredential: options.remoteCredential }),
  };
  const git = await createGit({
    homePath: join(root, 'git-home'),
    folders,
    ...(options.gitPath === undefined ? {} : { gitPath: options.gitPath }),
    ...access,
  });
  const lfs = createLfsHost({ ...access, privateHosts: options.privateHosts ?? [] });
  return { paths, git, lfs, lock: createKeyedLock(), workIdentity: options.workIdentity };
}
