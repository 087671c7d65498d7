import { containedPath } from './contained-path.ts';
import type { Workspaces } from './open-workspaces.ts';
import { WorkspaceError } from './workspace.ts';
import { readWorkspaceRecord, recordedWorkspaceKeys } from './workspace-record.ts';
import type { WorkspaceUsage } from './workspace-usage.ts';
import { workspaceUsage } from './workspace-usage.ts';

export type ListedWorkspace = WorkspaceUsage & {
  key: string;
  path: string;
  identifier: string;
  branch: string;
};

/** Every workspace this runner made and still has, with its disk usage. */
export async function listWorkspaces(workspaces: Workspaces): Promise<ListedWorkspace[]> {
  const listed: ListedWorkspace[] = [];
  for (const key of await recordedWorkspaceKeys(workspaces.paths.records)) {
    const one = await describe(workspaces, key);
    if (one !== null) listed.push(one);
  }
  return listed;
}

/** Null for one that is gone or damaged: a list must not fail for a single bad entry. */
async function describe(workspaces: Workspaces, key: string): Promise<ListedWorkspace | null> {
  try {
    const record = await readWorkspaceRecord(workspaces.paths.records, key);
    const { path, exists } = await containedPath(workspaces.paths.workspaces, key);
    if (record === null || !exists) return null;
    const usage = await workspaceUsage(path);
    return { ...usage, key, path, identifier: record.identifier, branch: record.branch };
  } catch (error) {
    if (error instanceof WorkspaceError) return null;
    throw error;
  }
}
