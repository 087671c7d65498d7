import { chmod, mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorkIdentity } from '../container/container-engine.ts';
import { deleteTree } from './disk/delete-tree.ts';
import { makesSnapshots } from './disk/snapshots.ts';
import { type Git, type GitOptions, createGit } from './git/git.ts';
import { createLfsHost, type LfsHost } from './lfs-host/lfs-host.ts';
import { AllowedFolders } from './git/local-remotes/allowed-folders.ts';
import { createKeyedLock, type KeyedLock } from '@switchyard/shared/keyed-lock';

/** Dependencies of all workspace functions: folders, host git, Git LFS, locks, owner. */
export type Workspaces = {
  paths: WorkspacePaths;
  git: Git;
  /** Requests Git LFS objects from code hosts. */
  lfs: LfsHost;
  lock: KeyedLock;
  workIdentity: WorkIdentity;
};

/**
 * All paths absolute, symlinks resolved, on one file system. An agent sees only one folder of
 * `workspaces`.
 */
export type WorkspacePaths = {
  root: string;
  mirrors: string;
  workspaces: string;
  /** Folder with one JSON file for each workspace, outside agents' reach. */
  records: string;
  /** Emptied at every start. */
  temporary: string;
  /** Prepared checkouts for snapshots; absent where the file system supports none. */
  warm?: string;
};

/**
 * Creates the folders under `rootPath`, removes what a crash left, and prepares host git. Throws
 * BadFolder for a folder that cannot be allowed.
 */
export async function openWorkspaces(options: {
  rootPath: string;
  /** The runner's data folder, in which no repository is allowed. Default: `rootPath`. */
  dataPath?: string;
  /** Folders of this host in which repositories are allowed. Default: none. */
  allowFolders?: readonly string[];
  /** Command that starts this runner, for messages. Default: not known. */
  startCommand?: string;
  workIdentity: WorkIdentity;
  gitPath?: string;
  /** Private hosts that this runner's operator allows. */
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
