import { mayHaveIssue } from '@switchyard/shared/protocol/runner-labels';
import type { Deps } from '../../deps.ts';
import { allRunners } from '../queries.ts';

/**
 * Connected runners that can answer calls about issues with these labels; those that accept work
 * come first.
 */
export async function connectedRunners(
  deps: Pick<Deps, 'db' | 'connections'>,
  issueLabels: readonly string[],
): Promise<string[]> {
  const rows = (await allRunners(deps.db)).filter(
    (row) => row.revoked_at_ms === null && mayHaveIssue(row.labels, issueLabels),
  );
  const connected = await deps.connections.connected(rows.map((row) => row.runner_id));
  return rows
    .filter((row) => connected.has(row.runner_id))
    .toSorted((a, b) => Number(a.draining) - Number(b.draining))
    .map((row) => row.runner_id);
}
