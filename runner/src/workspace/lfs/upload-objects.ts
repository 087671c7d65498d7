import type { ObjectAnswer } from '../lfs-host/lfs-host.ts';
import { LFS_LIMITS } from '../lfs-host/lfs-limits.ts';
import { mirrorCommit } from '../mirror/mirror.ts';
import type { Workspaces } from '../open-workspaces.ts';
import { WorkspaceError } from '../workspace.ts';
import { addedFiles, type LfsFile, lfsWorkOf } from './lfs-files.ts';
import { isStored, readStored } from './store-object.ts';

const AT_A_TIME = 4;

export type LfsUpload = {
  mirrorPath: string;
  repositoryUrl: string;
  commitSha: string;
  signal?: AbortSignal;
};

/**
 * Uploads the Git LFS objects of new commits that the host lacks from the mirror's store before a
 * push, so that no branch has a dangling pointer. Throws as the push would: `host_auth_failed` and
 * `push_refused` when a person must act first.
 */
export async function uploadObjects(workspaces: Workspaces, push: LfsUpload): Promise<void> {
  const { mirrorPath, repositoryUrl, commitSha } = push;
  const baseCommit = (await mirrorCommit(workspaces, mirrorPath, 'HEAD')) ?? commitSha;
  const work = await lfsWorkOf(workspaces, { ...push, baseCommit });
  if (work === null) return;
  const time = AbortSignal.timeout(LFS_LIMITS.TRANSFER_TIMEOUT_MS);
  const signal = push.signal === undefined ? time : AbortSignal.any([push.signal, time]);
  const added = await addedFiles(workspaces, { mirrorPath, signal }, work);
  const wanted = await askForUpload(workspaces, { repositoryUrl, signal }, added);
  for (const { pointer } of wanted) {
    if (await isStored(mirrorPath, pointer)) continue;
    const path = added.find(({ oid }) => oid === pointer.oid)?.path ?? pointer.oid;
    throw new WorkspaceError(
      'git_failed',
      `neither this runner nor the host has the LFS object of ${path}: ` +
        'start the runner that did the work and deliver again, or retry the issue to do it anew',
    );
  }
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

/** The host's upload actions for those new objects that it lacks. */
export async function askForUpload(
  workspaces: Workspaces,
  { repositoryUrl, signal }: { repositoryUrl: string; signal: AbortSignal },
  added: readonly LfsFile[],
): Promise<ObjectAnswer[]> {
  const unsupported = workspaces.lfs.unsupported(repositoryUrl);
  const [first] = added;
  if (unsupported !== null && first !== undefined)
    throw new WorkspaceError(
      'push_refused',
      `${first.path} is new in Git LFS, and its object cannot be uploaded: ${unsupported}`,
    );
  const wanted: ObjectAnswer[] = [];
  for (let at = 0; at < added.length; at += LFS_LIMITS.MAX_BATCH_OBJECTS) {
    const batch = added.slice(at, at + LFS_LIMITS.MAX_BATCH_OBJECTS);
    const answers = await workspaces.lfs.batch(repositoryUrl, 'upload', batch, signal);
    for (const answer of answers) {
      if (answer.failure !== undefined) throw answer.failure;
      if (answer.upload !== undefined) wanted.push(answer);
    }
  }
  return wanted;
}
