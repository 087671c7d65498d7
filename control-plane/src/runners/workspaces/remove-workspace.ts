import { auditStatement } from '../../observe/audit/audit-statement.ts';
import type { Caller } from '../../http/caller/caller.ts';
import type { WorkspaceRow } from '../../db/schema/runners/workspaces.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import type { AskRunners } from './ask-runners.ts';
import { forgetWorkspace, workspacesByKey } from './queries.ts';

/** Time in addition to the script's, for deleting many files on a slow disk. */
export const REMOVE_TIMEOUT_MS = 60_000;

/**
 * Removes a workspace on its runner, after running `hooks.beforeRemove`. Throws a 404, a 409 while
 * an attempt uses it or if several runners have that key, a 503 while its runner is not connected.
 */
export async function removeWorkspace(
  deps: Pick<Deps, 'db' | 'clock' | 'config' | 'connections'>,
  askRunners: AskRunners,
  input: { key: string; runnerId: string | null; caller: Caller },
): Promise<void> {
  const row = await theOne(deps, askRunners, input);
  const { runner_id: runnerId, key } = row;
  if (!(await deps.connections.connected([runnerId])).has(runnerId)) {
    throw new AppError(
      'unavailable',
      `runner ${runnerId}, which has workspace ${key}, is offline`,
      {
        reason: 'runner_offline',
      },
    );
  }
  const { hooks } = await deps.config.load();
  const removed = await remove(deps, row, {
    key,
    ...(hooks.beforeRemove === undefined ? {} : { beforeRemove: hooks.beforeRemove }),
    timeoutMs: hooks.timeoutMs,
  });
  await deps.db.batch([
    forgetWorkspace(deps.db, row),
    ...(removed
      ? [
          auditStatement(deps.db, deps.clock.nowMs(), input.caller, {
            operation: 'workspace.remove',
            subject: key,
            details: { runnerId, path: row.path, diskBytes: row.disk_bytes },
          }),
        ]
      : []),
  ]);
  if (!removed) throw new AppError('not_found', `workspace ${key} not found`);
}

async function theOne(
  deps: Pick<Deps, 'db'>,
  askRunners: AskRunners,
  input: { key: string; runnerId: string | null },
): Promise<WorkspaceRow> {
  await askRunners({ anew: true });
  const [found, ...others] = await workspacesByKey(deps.db, input.key, input);
  if (found === undefined) throw new AppError('not_found', `workspace ${input.key} not found`);
  if (others.length > 0) {
    const runners = [found, ...others].map(({ runner_id: id }) => id).join(', ');
    const message = `several runners have a workspace ${input.key}; name one as ?runner= of ${runners}`;
    throw new AppError('conflict', message, { reason: 'ambiguous' });
  }
  return found;
}

async function remove(
  deps: Pick<Deps, 'connections'>,
  row: WorkspaceRow,
  params: { key: string; beforeRemove?: string; timeoutMs: number },
): Promise<boolean> {
  const timeoutMs = params.timeoutMs + REMOVE_TIMEOUT_MS;
  try {
    return (await deps.connections.call(row.runner_id, 'workspace.remove', params, timeoutMs))
      .removed;
  } catch (error) {
    if (!(error instanceof AppError) || error.reason !== 'in_use') throw error;
    throw new AppError('conflict', `workspace ${row.key} is used by a running attempt`, {
      reason: 'in_use',
    });
  }
}
