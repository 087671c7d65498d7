import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { readShellProgram } from '../../shell/read-shell-program.ts';
import { LFS_LIMITS } from '../lfs-host/lfs-limits.ts';
import type { Pointer } from '../lfs-host/parse-pointer.ts';
import type { Workspaces } from '../open-workspaces.ts';
import { type RunInWorkspace, WorkspaceError } from '../workspace.ts';
import { isStored, makeStore, storeObject } from './store-object.ts';

const TIMEOUT_MS = 10 * 60_000;
const PROGRAM = readShellProgram(new URL('./collect-objects.sh', import.meta.url));

/**
 * Copies objects that an agent added from its workspace into the mirror's store, from which they
 * are pushed even after the workspace is removed. Returns, by oid, why others could not be copied.
 */
export async function collectObjects(
  workspaces: Workspaces,
  run: RunInWorkspace,
  at: { path: string; mirrorPath: string },
  pointers: readonly Pointer[],
): Promise<Map<string, string>> {
  const { mirrorPath } = at;
  const missing = new Map<string, string>();
  const wanted: Pointer[] = [];
  for (const pointer of pointers) {
    if (await isStored(mirrorPath, pointer)) continue;
    missing.set(pointer.oid, 'is not in .git/lfs of the workspace');
    wanted.push(pointer);
  }
  if (wanted.length > 0) await makeStore(mirrorPath);
  for (let next = 0; next < wanted.length; next += LFS_LIMITS.MAX_BATCH_OBJECTS) {
    const batch = wanted.slice(next, next + LFS_LIMITS.MAX_BATCH_OBJECTS);
    await collect(workspaces, run, at, { batch, missing });
  }
  return missing;
}

async function collect(
  workspaces: Workspaces,
  run: RunInWorkspace,
  { path, mirrorPath }: { path: string; mirrorPath: string },
  { batch, missing }: { batch: readonly Pointer[]; missing: Map<string, string> },
): Promise<void> {
  const name = `lfs-${randomBytes(8).toString('hex')}.objects`;
  const stdoutFile = join(workspaces.paths.temporary, name);
  try {
    const result = await run({
      purpose: 'lfs',
      argv: [
        'sh',
        '-c',
        PROGRAM,
        'lfs',
        path,
        ...batch.flatMap(({ oid, sizeBytes }) => [oid, String(sizeBytes)]),
      ],
      timeoutMs: TIMEOUT_MS,
      maxOutputBytes: batch.reduce((sum, { sizeBytes }) => sum + sizeBytes, 1),
      stdoutFile,
    });
    if (result.exitCode !== 0 || result.timedOut || result.outputExceeded)
      throw new WorkspaceError('git_failed', 'objects of Git LFS could not be collected');
    const has = new Set(
      [...result.stderr.matchAll(/^has ([0-9a-f]{64})$/gm)].map(([, oid]) => oid),
    );
    let start = 0;
    for (const pointer of batch.filter(({ oid }) => has.has(oid))) {
      const content =
        pointer.sizeBytes === 0
          ? Readable.from([])
          : createReadStream(stdoutFile, { start, end: start + pointer.sizeBytes - 1 });
      start += pointer.sizeBytes;
      await storeObject(workspaces, mirrorPath, pointer, content).then(
        () => missing.delete(pointer.oid),
        (error: unknown) => {
          if (!(error instanceof WorkspaceError)) throw error;
          missing.set(pointer.oid, 'has other content in .git/lfs of the workspace');
        },
      );
    }
  } finally {
    await rm(stdoutFile, { force: true });
  }
}
