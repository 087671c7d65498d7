import type { Workspace, WorkspaceList } from '@switchyard/shared/api/workspace';
import type { WorkspaceRow } from '../../db/schema/runners/workspaces.ts';
import type { Deps } from '../../deps.ts';
import type { AskRunners } from './ask-runners.ts';
import { workspacePage } from './queries.ts';

/**
 * A page of all workspaces, as their runners report them now, or reported them last while offline.
 */
export async function listWorkspaces(
  deps: Pick<Deps, 'db' | 'connections'>,
  askRunners: AskRunners,
  input: { runnerId: string | null; limit: number; offset: number },
): Promise<WorkspaceList> {
  const silent = await askRunners();
  const { rows, total, diskBytes } = await workspacePage(deps.db, input);
  const connected = await deps.connections.connected(rows.map((row) => row.runner_id));
  return {
    workspaces: rows.map((row) => workspaceRecord(row, connected)),
    total,
    totalDiskBytes: diskBytes,
    unavailable: silent.filter(
      ({ runnerId }) => input.runnerId === null || runnerId === input.runnerId,
    ),
  };
}

function workspaceRecord(row: WorkspaceRow, connected: ReadonlyMap<string, unknown>): Workspace {
  return {
    key: row.key,
    runnerId: row.runner_id,
    path: row.path,
    status: connected.has(row.runner_id) ? (row.in_use ? 'in_use' : 'idle') : 'offline',
    issue: row.identifier,
    diskBytes: row.disk_bytes,
    diskComplete: row.disk_complete,
    lastModifiedAt: new Date(row.last_modified_at_ms).toISOString(),
    reportedAt: new Date(row.reported_at_ms).toISOString(),
  };
}
