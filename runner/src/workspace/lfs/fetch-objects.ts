import { messageOf } from '@switchyard/shared/message-of';
import { unlessAborted } from '../git/unless-aborted.ts';
import type { Workspaces } from '../open-workspaces.ts';
import { WorkspaceError } from '../workspace.ts';
import type { ObjectAnswer } from '../lfs-host/lfs-host.ts';
import { LFS_LIMITS } from '../lfs-host/lfs-limits.ts';
import { isStored, makeStore, storeObject } from './store-object.ts';
import type { Pointer } from '../lfs-host/parse-pointer.ts';

const AT_A_TIME = 4;
/**
 * Disk space that a fetch must leave free. An object is stored once in the store and twice in a
 * workspace.
 */
const KEPT_FREE_BYTES = 2 * 1024 ** 3;
const COPIES = 3;
const NO_ROOM = 'this host has too little room on its disk';
const TOO_LARGE = `it is larger than ${LFS_LIMITS.MAX_OBJECT_BYTES / 1024 ** 3} GiB`;
const TOO_MUCH = `a workspace has at most ${LFS_LIMITS.MAX_OBJECTS} objects of ${LFS_LIMITS.MAX_TOTAL_BYTES / 1024 ** 3} GiB together`;

export type Fetched = {
  /** Number of objects that were fetched. */
  count: number;
  /** Why objects are still missing, by oid. */
  missing: Map<string, string>;
};

/**
 * Fetches Git LFS objects into a mirror's store. One that fails is reported and does not prevent
 * others. One fetch at a time for each mirror.
 */
export function fetchObjects(
  workspaces: Workspaces,
  from: {
    mirrorPath: string;
    repositoryUrl: string;
    /** Free bytes of the mirror's disk. */
    freeBytes: number;
    signal: AbortSignal;
  },
  pointers: readonly Pointer[],
): Promise<Fetched> {
  const { mirrorPath, repositoryUrl } = from;
  const work = workspaces.lock(`lfs:${mirrorPath}`, async () => {
    await makeStore(mirrorPath);
    const fetched: Fetched = { count: 0, missing: new Map() };
    const wanted = await choose(from, pointers, fetched);
    const unsupported = workspaces.lfs.unsupported(repositoryUrl);
    const time = AbortSignal.timeout(LFS_LIMITS.TRANSFER_TIMEOUT_MS);
    const signal = AbortSignal.any([from.signal, time]);
    // A failure that would affect all further objects, each after a delay.
    let trouble = unsupported;
    for (let at = 0; at < wanted.length; at += LFS_LIMITS.MAX_BATCH_OBJECTS) {
      const batch = wanted.slice(at, at + LFS_LIMITS.MAX_BATCH_OBJECTS);
      const answers =
        trouble !== null
          ? []
          : await workspaces.lfs
              .batch(repositoryUrl, 'download', batch, signal)
              .catch((error: unknown) => {
                trouble = messageOf(error);
                return [];
              });
      for (const { oid } of answers.length === 0 ? batch : [])
        fetched.missing.set(oid, trouble ?? 'nothing was answered');
      trouble ??= await fetchAll(workspaces, { ...from, signal }, answers, fetched);
    }
    return fetched;
  });
  // A stopped attempt does not wait for another attempt's fetch.
  const stopped = () => new WorkspaceError('git_failed', 'the fetch was stopped');
  return unlessAborted(work, from.signal, stopped);
}

/** The missing objects within the limits. */
async function choose(
  { mirrorPath, freeBytes }: { mirrorPath: string; freeBytes: number },
  pointers: readonly Pointer[],
  { missing }: Fetched,
): Promise<Pointer[]> {
  const wanted = new Map<string, Pointer>();
  let totalBytes = 0;
  for (const pointer of new Map(pointers.map((one) => [one.oid, one])).values()) {
    if (await isStored(mirrorPath, pointer)) continue;
    totalBytes += pointer.sizeBytes;
    const isMuch = wanted.size >= LFS_LIMITS.MAX_OBJECTS || totalBytes > LFS_LIMITS.MAX_TOTAL_BYTES;
    if (pointer.sizeBytes > LFS_LIMITS.MAX_OBJECT_BYTES) missing.set(pointer.oid, TOO_LARGE);
    else if (isMuch) missing.set(pointer.oid, TOO_MUCH);
    else if (totalBytes * COPIES > freeBytes - KEPT_FREE_BYTES) missing.set(pointer.oid, NO_ROOM);
    else wanted.set(pointer.oid, pointer);
  }
  return [...wanted.values()];
}

/** Fetches objects; returns why no more can be fetched, or null. */
async function fetchAll(
  workspaces: Workspaces,
  from: { mirrorPath: string; repositoryUrl: string; signal: AbortSignal },
  answers: ObjectAnswer[],
  fetched: Fetched,
): Promise<string | null> {
  const left = [...answers];
  let trouble: string | null = null;
  const work = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const { oid } = next.pointer;
      try {
        if (trouble === null) {
          await fetchOne(workspaces, from, next);
          fetched.count += 1;
        } else fetched.missing.set(oid, trouble);
      } catch (error) {
        fetched.missing.set(oid, messageOf(error));
        const isAway = error instanceof WorkspaceError && error.code === 'host_unreachable';
        if (isAway || from.signal.aborted) trouble = messageOf(error);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  return trouble;
}

async function fetchOne(
  workspaces: Workspaces,
  {
    mirrorPath,
    repositoryUrl,
    signal,
  }: { mirrorPath: string; repositoryUrl: string; signal: AbortSignal },
  { pointer, download, failure }: ObjectAnswer,
): Promise<void> {
  if (failure !== undefined) throw failure;
  if (download === undefined) throw new WorkspaceError('git_failed', 'the host named no address');
  const content = await workspaces.lfs.download(repositoryUrl, download, signal);
  await storeObject(workspaces, mirrorPath, pointer, content);
}
