import { mayHaveIssue } from '@switchyard/shared/protocol/runner-labels';
import type { Deps } from '../../deps.ts';
import { allRunners } from '../queries.ts';

/**
 * Runners that can be asked now about what belongs to issues with these labels, those that take work
 * first.
 */
export async function connectedRunners(
  deps: Pick<Deps, 'db' | 'sockets'>,
  issueLabels: readonly string[],
): Promise<string[]> {
  const rows = (await allRunners(deps.db)).filter(
    (row) => row.revoked_at_ms === null && mayHaveIssue(row.labels, issueLabels),
  );
  const connected = await deps.sockets.connected(rows.map((row) => row.runner_id));
  return rows
    .filter((row) => connected.has(row.runner_id))
    .toSorted((a, b) => Number(a.draining) - Number(b.draining))
    .map((row) => row.runner_id);
}
