import { cutText } from '@switchyard/shared/text/cut-text';
import { randomBytes } from 'node:crypto';
import { open, readFile, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { WorkspaceError } from './workspace.ts';

/** What the runner knows about a workspace without reading it. */
export const WorkspaceRecord = z.object({
  key: z.string(),
  identifier: z.string(),
  /** The tracker's id of the issue; absent in records of an earlier version. */
  issueId: z.string().optional(),
  repositoryUrl: z.string(),
  mirrorPath: z.string(),
  branch: z.string(),
  baseBranch: z.string(),
  baseCommit: z.string(),
  createdAtMs: z.number(),
  /** The after_create hook has not succeeded yet: such a workspace is created again. */
  creationPending: z.boolean(),
  /** A review made it, with no work in it: the next attempt gets a workspace of its own. */
  madeForReview: z.boolean().optional(),
  /** git's tree id of everything present after the first hooks, if there was nothing else. */
  hooksTree: z.string().optional(),
  /** A tree, or a commit with it, that the next attempt finds; the last one had only to read. */
  putBackTo: z.string().optional(),
  /** Mirrors from which its submodules borrow objects. */
  submoduleMirrors: z.array(z.string()).optional(),
  /** Owner of all its files; absent: not known, as in records of an earlier version. */
  owner: z.object({ uid: z.int(), gid: z.int() }).optional(),
  /** What the workspace lacks, in sentences. */
  notices: z.array(z.string()).optional(),
});
export type WorkspaceRecord = z.infer<typeof WorkspaceRecord>;

/** Writes the record durably: complete or not at all. */
export async function writeWorkspaceRecord(folder: string, record: WorkspaceRecord): Promise<void> {
  const path = recordPath(folder, record.key);
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(`${JSON.stringify(record, null, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, path);
}

/**
 * The record of a workspace; null when there is none. Throws `workspace_foreign` when it is
 * damaged.
 */
export async function readWorkspaceRecord(
  folder: string,
  key: string,
): Promise<WorkspaceRecord | null> {
  const text = await readFile(recordPath(folder, key), 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  });
  if (text === null) return null;
  try {
    return WorkspaceRecord.parse(JSON.parse(text));
  } catch (error) {
    throw new WorkspaceError(
      'workspace_foreign',
      `the record of workspace ${key} is damaged; remove the workspace (${cutText(String(error), 200)})`,
    );
  }
}

/** Deletes a workspace's record. Idempotent. */
export async function deleteWorkspaceRecord(folder: string, key: string): Promise<void> {
  await rm(recordPath(folder, key), { force: true });
}

/** Keys of all workspaces that have a record. */
export async function recordedWorkspaceKeys(folder: string): Promise<string[]> {
  const names = await readdir(folder);
  return names
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.slice(0, -5))
    .sort();
}

function recordPath(folder: string, key: string): string {
  return join(folder, `${key}.json`);
}
