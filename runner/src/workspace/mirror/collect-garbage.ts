import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TRANSFER_LIMITS } from '../git/git-limits.ts';
import type { Workspaces } from '../open-workspaces.ts';
import { WorkspaceError } from '../workspace.ts';
import { clearStaleDrafts } from './clear-stale-drafts.ts';
import { patiently } from './with-refs.ts';
import { readWorkspaceRecord, recordedWorkspaceKeys } from '../workspace-record.ts';

const TIMEOUT_MS = 15 * 60_000;
const EVERY_MS = 7 * 86_400_000;
/** Objects that are being written or imported are newer. */
const EXPIRE = '2.weeks.ago';
const MARKER = 'switchyard-collected';

/** Running collections by the mirror's path. */
const running = new Map<string, AbortController>();

/** Ends a running collection, so that a fetch or a new workspace need not wait for it. */
export function interruptCollection(mirrorPath: string): void {
  running.get(mirrorPath)?.abort();
}

/**
 * Deletes unreachable objects of a mirror older than two weeks, at most once a week. Skipped while
 * a workspace borrows objects: a clone made by a hook may use a branch that the remote has deleted.
 * `interruptCollection` ends it. Resolves with whether it was completed. Throws WorkspaceError.
 */
export async function collectGarbage(
  workspaces: Workspaces,
  mirrorPath: string,
  { nowMs, signal }: { nowMs: number; signal: AbortSignal },
): Promise<boolean> {
  const marker = join(mirrorPath, MARKER);
  const lastMs = await stat(marker).then(
    ({ mtimeMs }) => mtimeMs,
    () => null,
  );
  if (lastMs === null) {
    // A new mirror has nothing to delete yet.
    await writeFile(marker, '');
    return false;
  }
  if (nowMs - lastMs < EVERY_MS) return false;
  const interrupt = new AbortController();
  // Set before the lock, so that whoever waits for it ends this instead.
  running.set(mirrorPath, interrupt);
  try {
    return await workspaces.lock(`mirror:${mirrorPath}`, async () => {
      if (interrupt.signal.aborted || (await isBorrowedFrom(workspaces, mirrorPath))) return false;
      await runGc(workspaces, mirrorPath, AbortSignal.any([signal, interrupt.signal]));
      await writeFile(marker, '');
      return true;
    });
  } catch (error) {
    if (interrupt.signal.aborted) return false;
    throw error;
  } finally {
    running.delete(mirrorPath);
  }
}

async function runGc(
  { git }: Pick<Workspaces, 'git'>,
  mirrorPath: string,
  signal: AbortSignal,
): Promise<void> {
  // Refs are not packed: an interrupted git process would leave a lock that delays the next fetch.
  const settings = ['gc.packRefs=false', 'gc.bigPackThreshold=4g', 'repack.writeBitmaps=false'];
  await clearStaleDrafts(mirrorPath);
  await patiently(mirrorPath, () =>
    git.run({
      gitDir: mirrorPath,
      args: [
        ...settings.flatMap((setting) => ['-c', setting]),
        'gc',
        '--quiet',
        '--force',
        `--prune=${EXPIRE}`,
      ],
      purpose: 'gc',
      timeoutMs: TIMEOUT_MS,
      limits: TRANSFER_LIMITS,
      signal,
    }),
  );
}

/** An unreadable record may belong to any mirror. */
async function isBorrowedFrom(
  { paths }: Pick<Workspaces, 'paths'>,
  mirrorPath: string,
): Promise<boolean> {
  for (const key of await recordedWorkspaceKeys(paths.records)) {
    try {
      const record = await readWorkspaceRecord(paths.records, key);
      if (record === null) continue;
      if ([record.mirrorPath, ...(record.submoduleMirrors ?? [])].includes(mirrorPath)) return true;
    } catch (error) {
      if (error instanceof WorkspaceError) return true;
      throw error;
    }
  }
  return false;
}
