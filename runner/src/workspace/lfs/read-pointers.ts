import { readObjects } from '../push-checks/read-objects.ts';
import type { Workspaces } from '../open-workspaces.ts';
import { WorkspaceError } from '../workspace.ts';
import type { MirrorCommit } from './lfs-paths.ts';
import { MAX_POINTER_BYTES, type Pointer, parsePointer } from '../lfs-host/parse-pointer.ts';

/** The git content of a file that belongs to Git LFS. An empty file is stored as is. */
export type Stored = Pointer | 'empty' | 'raw';

const TIMEOUT_MS = 120_000;
const MAX_BYTES = 128 * 1024 * 1024;

/** The content by blob; blobs too large for a pointer are not read. Throws WorkspaceError. */
export async function readPointers(
  workspaces: Workspaces,
  { mirrorPath, signal }: Pick<MirrorCommit, 'mirrorPath' | 'signal'>,
  blobIds: readonly string[],
): Promise<Map<string, Stored>> {
  if (blobIds.length === 0) return new Map();
  const at = { mirrorPath, ...(signal === undefined ? {} : { signal }) };
  const { stdout } = await workspaces.git.run({
    gitDir: mirrorPath,
    args: ['cat-file', '--batch-check=%(objectname) %(objecttype) %(objectsize)', '--buffer'],
    input: `${blobIds.join('\n')}\n`,
    timeoutMs: TIMEOUT_MS,
    maxOutputBytes: MAX_BYTES,
    ...(signal === undefined ? {} : { signal }),
  });
  const sizes = [...stdout.matchAll(/^([0-9a-f]+) blob (\d+)$/gm)].map(
    ([, id = '', size]) => [id, Number(size)] as const,
  );
  const ids = sizes.filter(([, size]) => size <= MAX_POINTER_BYTES).map(([id]) => id);
  const texts = await readObjects(workspaces, at, { ids, maxBytes: MAX_BYTES });
  if (texts === null)
    throw new WorkspaceError('limit_exceeded', 'there are too many small files to look for LFS');
  return new Map(
    sizes.map(([id, size]): [string, Stored] => {
      if (size === 0) return [id, 'empty'];
      return [id, parsePointer(texts.get(id) ?? '') ?? 'raw'];
    }),
  );
}
