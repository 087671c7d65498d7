import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Workspaces } from '../open-workspaces.ts';

/** A commit of a mirror. */
export type MirrorCommit = { mirrorPath: string; commitSha: string; signal?: AbortSignal };

const TIMEOUT_MS = 120_000;
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;

/** Whether some `.gitattributes` of a commit assigns files to Git LFS. Throws WorkspaceError. */
export async function usesLfs(
  workspaces: Workspaces,
  { mirrorPath, commitSha, signal }: MirrorCommit,
): Promise<boolean> {
  const { exitCode } = await workspaces.git.run({
    gitDir: mirrorPath,
    args: [
      'grep',
      '--quiet',
      '--text',
      '--fixed-strings',
      '-e',
      'filter=lfs',
      commitSha,
      '--',
      ':(glob)**/.gitattributes',
    ],
    timeoutMs: TIMEOUT_MS,
    okExitCodes: [0, 1],
    ...(signal === undefined ? {} : { signal }),
  });
  return exitCode === 0;
}

/**
 * The paths among `paths` that a commit's attributes assign to Git LFS. git matches them by an
 * index of the commit beside the mirror, without reading the workspace. Throws WorkspaceError.
 */
export async function lfsPaths(
  workspaces: Workspaces,
  { mirrorPath, commitSha, signal }: MirrorCommit,
  paths: readonly string[],
): Promise<Set<string>> {
  if (paths.length === 0) return new Set();
  const index = join(
    workspaces.paths.temporary,
    `attributes-${randomBytes(8).toString('hex')}.index`,
  );
  const at = {
    gitDir: mirrorPath,
    env: { GIT_INDEX_FILE: index },
    timeoutMs: TIMEOUT_MS,
    ...(signal === undefined ? {} : { signal }),
  };
  try {
    await workspaces.git.run({ ...at, args: ['read-tree', commitSha] });
    const { stdout } = await workspaces.git.run({
      ...at,
      args: ['check-attr', '--cached', '--stdin', '-z', 'filter'],
      input: paths.map((path) => `${path}\0`).join(''),
      maxOutputBytes: MAX_OUTPUT_BYTES,
    });
    const fields = stdout.split('\0');
    const found = new Set<string>();
    for (let i = 0; i + 2 < fields.length; i += 3)
      if (fields[i + 2] === 'lfs') found.add(fields[i] ?? '');
    return found;
  } finally {
    await rm(index, { force: true });
    await rm(`${index}.lock`, { force: true });
  }
}
