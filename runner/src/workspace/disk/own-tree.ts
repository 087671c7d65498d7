import { textTail } from '@switchyard/shared/text/cut-text';
import { messageOf } from '@switchyard/shared/message-of';
import { lstat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { FolderHandle } from '../../agent-files/folder-handle.ts';
import { withFolder } from '../../agent-files/with-folder.ts';
import { walkFolder, type WalkLimits } from '../../agent-files/walk-folder.ts';
import type { WorkIdentity } from '../../container/container-engine.ts';
import { isOwnIdentity } from '../../container/own-identity.ts';
import { runProcess } from '../git/run-process.ts';
import { WorkspaceError } from '../workspace.ts';

const CHOWN_TIMEOUT_MS = 10 * 60_000;
const MAX_ENTRIES = 5_000_000;

/**
 * Gives a folder that this host created, and that no agent has seen, to the identity of agents;
 * symlinks themselves, never their targets. A no-op when that is the runner's own.
 */
export async function ownFreshTree(path: string, identity: WorkIdentity): Promise<void> {
  if (identity === null || isOwnIdentity(identity)) return;
  const result = await runProcess({
    file: 'chown',
    args: ['-hR', '-P', '--', `${identity.uid}:${identity.gid}`, path],
    env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C' },
    timeoutMs: CHOWN_TIMEOUT_MS,
    maxOutputBytes: 64 * 1024,
  });
  if (result.exitCode !== 0) throw notGiven(path, identity, textTail(result.stderr, 500));
}

/**
 * Gives a folder in which agents have written, while none does, to the identity of agents: it may
 * belong to another user after a former run. Works on open folders; a file with several names may
 * belong to this host and is skipped. `isKnown`: only the folder's owner has written in it, so that
 * its owner stands for all files. Throws, with advice, when this runner cannot change a foreign
 * owner. An aborted `signal` ends the walk, and throws if there is an `identity`.
 */
export async function ownUsedTree(
  path: string,
  identity: WorkIdentity,
  { isKnown, signal }: OwnOptions,
): Promise<void> {
  const given = await withFolder(path, async (root) => {
    if (identity === null) await requireOwn(root, path, { isKnown, signal });
    else await giveTree(root, path, { identity, isKnown, signal });
    return true;
  });
  if (given === true) return;
  const found = await lstat(path);
  const isForeign = identity === null && found.isDirectory() && found.uid !== process.getuid?.();
  if (isForeign) throw notOwn(path, found.uid);
  throw notGiven(path, identity, 'it is no folder that could be opened');
}

type OwnOptions = { isKnown: boolean; signal?: AbortSignal | undefined };

function limitsOf(signal: AbortSignal | undefined): WalkLimits {
  return { maxEntries: MAX_ENTRIES, ...(signal === undefined ? {} : { signal }) };
}

async function giveTree(
  root: FolderHandle,
  path: string,
  { identity, isKnown, signal }: OwnOptions & { identity: NonNullable<WorkIdentity> },
): Promise<void> {
  const isTheirs = ({ uid, gid }: { uid: number; gid: number }) =>
    uid === identity.uid && gid === identity.gid;
  const isRootTheirs = isTheirs(await root.ownStat());
  if (isKnown && isRootTheirs) return;
  let isWhole = true;
  const limits = { ...limitsOf(signal), cut: () => void (isWhole = false) };
  const give = async (giving: Promise<void>) => {
    try {
      await giving;
    } catch (error) {
      // Root can work in files of others anyway, for example on a file server that gives it none.
      if (!isOwnIdentity(identity)) throw notGiven(path, identity, messageOf(error));
    }
  };
  for await (const { folder, name } of walkFolder(root, limits)) {
    const found = await folder.stat(name);
    if (found === null || (!found.isDirectory() && found.nlink > 1) || isTheirs(found)) continue;
    await give(folder.own(name, identity));
  }
  // The root comes last, so that an interrupted run starts again.
  if (signal?.aborted === true) throw notGiven(path, identity, 'it was cut off');
  if (!isRootTheirs) await give(root.ownSelf(identity));
  // A folder that had the right owner before may contain unreachable parts.
  if (!isWhole && !isRootTheirs)
    throw notGiven(path, identity, 'it could not be walked to its end');
}

/** On other systems than Linux, and on some file servers, all files have their mount's owner. */
async function requireOwn(
  root: FolderHandle,
  path: string,
  { isKnown, signal }: OwnOptions,
): Promise<void> {
  const uid = process.getuid?.();
  if (uid === undefined) return;
  const own = new Set([uid, (await lstat(dirname(path))).uid]);
  const { uid: rootUid } = await root.ownStat();
  if (!own.has(rootUid)) throw notOwn(path, rootUid);
  if (isKnown) return;
  for await (const { folder, name } of walkFolder(root, limitsOf(signal))) {
    const found = await folder.stat(name);
    if (found !== null && !own.has(found.uid)) throw notOwn(path, found.uid);
  }
}

function notOwn(path: string, uid: number): WorkspaceError {
  const own = `${process.getuid?.()}:${process.getgid?.()}`;
  return new WorkspaceError(
    'workspace_unusable',
    `${path} has files of uid ${uid}, which this runner may not use as it is not root: run "sudo chown -hR ${own} '${path}'" on its machine, then try again`,
  );
}

function notGiven(path: string, identity: WorkIdentity, why: string): WorkspaceError {
  const whom = identity === null ? 'this runner' : `uid ${identity.uid}`;
  return new WorkspaceError('workspace_unusable', `${path} could not be given to ${whom}: ${why}`);
}
