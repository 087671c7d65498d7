import type { ObjectAnswer } from '../lfs-host/lfs-host.ts';
import { LFS_LIMITS } from '../lfs-host/lfs-limits.ts';
import { mirrorCommit } from '../mirror/mirror.ts';
import type { Workspaces } from '../open-workspaces.ts';
import { WorkspaceError } from '../workspace.ts';
import { type LfsFile, lfsFilesOf, lfsWorkOf } from './lfs-files.ts';
import { isStored, readStored } from './store-object.ts';

const AT_A_TIME = 4;

export type LfsUpload = {
  mirrorPath: string;
  repositoryUrl: string;
  commitSha: string;
  signal?: AbortSignal;
};

/**
 * Before a push: uploads the objects of Git LFS that its new commits name and the host does not have, from
 * the store of the mirror. So no branch has a pointer that leads nowhere. Throws what the push would
 * throw: `host_auth_failed` and `push_refused` where a person has to do something first.
 */
export async function uploadObjects(workspaces: Workspaces, push: LfsUpload): Promise<void> {
  const { mirrorPath, repositoryUrl, commitSha } = push;
  const head = await mirrorCommit(workspaces, mirrorPath, 'HEAD');
  const range = { ...push, baseCommit: head ?? commitSha };
  const work = await lfsWorkOf(workspaces, range);
  if (work === null || work.pointers.length === 0) return;
  const time = AbortSignal.timeout(LFS_LIMITS.TRANSFER_TIMEOUT_MS);
  const signal = push.signal === undefined ? time : AbortSignal.any([push.signal, time]);
  const wanted = await objectsToUpload(
    workspaces,
    { ...push, signal, baseCommit: head },
    work.pointers,
  );
  const left = [...wanted];
  const upload = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const { pointer } = next;
      const content = () => readStored(mirrorPath, pointer);
      await workspaces.lfs.upload(repositoryUrl, next, content, signal).catch((error: unknown) => {
        left.length = 0;
        throw error;
      });
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: AT_A_TIME }, upload));
  const failed = ended.find((one) => one.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

/** What the host wants of the files, and how. Throws when this runner does not have it. */
async function objectsToUpload(
  workspaces: Workspaces,
  push: LfsUpload & { signal: AbortSignal; baseCommit: string | null },
  files: readonly LfsFile[],
): Promise<ObjectAnswer[]> {
  const { mirrorPath } = push;
  const answers = await askForUpload(workspaces, push, files);
  const wanted: ObjectAnswer[] = [];
  for (const answer of answers) {
    if (await isStored(mirrorPath, answer.pointer)) wanted.push(answer);
    else await assertKnown(workspaces, push, files, answer);
  }
  return wanted;
}

/** Answers of the host for those of the files that it does not have. */
export async function askForUpload(
  workspaces: Workspaces,
  {
    mirrorPath,
    repositoryUrl,
    signal,
    baseCommit,
  }: LfsUpload & {
    signal: AbortSignal;
    baseCommit: string | null;
  },
  files: readonly LfsFile[],
): Promise<ObjectAnswer[]> {
  const unsupported = workspaces.lfs.unsupported(repositoryUrl);
  const byName = new Map(files.map((file) => [file.oid, file]));
  if (unsupported !== null) {
    const known = await knownObjects(workspaces, { mirrorPath, baseCommit, signal });
    const fresh = [...byName.values()].find(({ oid }) => !known.has(oid));
    if (fresh === undefined) return [];
    throw new WorkspaceError(
      'push_refused',
      `${fresh.path} is new in Git LFS, and its object cannot be uploaded: ${unsupported}`,
    );
  }
  const pointers = [...byName.values()].map(({ oid, sizeBytes }) => ({ oid, sizeBytes }));
  const wanted: ObjectAnswer[] = [];
  for (let at = 0; at < pointers.length; at += LFS_LIMITS.MAX_BATCH_OBJECTS) {
    const batch = pointers.slice(at, at + LFS_LIMITS.MAX_BATCH_OBJECTS);
    const answers = await workspaces.lfs.batch(repositoryUrl, 'upload', batch, signal);
    for (const answer of answers) {
      if (answer.failure !== undefined) throw answer.failure;
      if (answer.upload !== undefined) wanted.push(answer);
    }
  }
  return wanted;
}

/** An object that the base names already is nothing of this work, even if the host has lost it. */
async function assertKnown(
  workspaces: Workspaces,
  {
    mirrorPath,
    baseCommit,
    signal,
  }: { mirrorPath: string; baseCommit: string | null; signal: AbortSignal },
  files: readonly LfsFile[],
  { pointer }: ObjectAnswer,
): Promise<void> {
  const known = await knownObjects(workspaces, { mirrorPath, baseCommit, signal });
  if (known.has(pointer.oid)) return;
  const path = files.find(({ oid }) => oid === pointer.oid)?.path ?? pointer.oid;
  throw new WorkspaceError(
    'git_failed',
    `neither this runner nor the host has the LFS object of ${path}: ` +
      'start the runner that did the work and deliver again, or retry the issue to do it anew',
  );
}

/** Names of the objects that a commit of the remote has pointers to. */
export async function knownObjects(
  workspaces: Workspaces,
  {
    mirrorPath,
    baseCommit,
    signal,
  }: { mirrorPath: string; baseCommit: string | null; signal: AbortSignal },
): Promise<Set<string>> {
  if (baseCommit === null) return new Set();
  const files = await lfsFilesOf(workspaces, { mirrorPath, commitSha: baseCommit, signal });
  return new Set(files?.map(({ oid }) => oid));
}
