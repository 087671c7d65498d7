import { containedPath } from './disk/contained-path.ts';
import type { Workspaces } from './open-workspaces.ts';
import { WorkspaceError } from './workspace.ts';
import { readWorkspaceRecord, recordedWorkspaceKeys } from './workspace-record.ts';
import { type WorkspaceUsage, workspaceUsage } from './disk/workspace-usage.ts';

export type ListedWorkspace = WorkspaceUsage & {
  key: string;
  path: string;
  identifier: string;
  branch: string;
};

/** All workspaces of this runner with the disk usage that `usageOf` returns. */
export async function listWorkspaces(
  workspaces: Workspaces,
  usageOf: (path: string) => Promise<WorkspaceUsage> = workspaceUsage,
): Promise<ListedWorkspace[]> {
  const keys = await recordedWorkspaceKeys(workspaces.paths.records);
  const described = await Promise.all(keys.map((key) => describe(workspaces, key, usageOf)));
  return described.filter((one) => one !== null);
}

/** Describes a workspace; null for a removed or damaged one, so that the list does not fail. */
async function describe(
  workspaces: Workspaces,
  key: string,
  usageOf: (path: string) => Promise<WorkspaceUsage>,
): Promise<ListedWorkspace | null> {
  try {
    const record = await readWorkspaceRecord(workspaces.paths.records, key);
    const { path, exists } = await containedPath(workspaces.paths.workspaces, key);
    if (record === null || !exists) return null;
    const usage = await usageOf(path);
    const lastModifiedMs = Math.max(usage.lastModifiedMs, record.createdAtMs);
    return {
      ...usage,
      lastModifiedMs,
      key,
      path,
      identifier: record.identifier,
      branch: record.branch,
    };
  } catch (error) {
    if (error instanceof WorkspaceError) return null;
    throw error;
  }
}
