import type { Deps } from '../../deps.ts';
import type { DeliveryResult, StoredDelivery } from '../../ports/ports.ts';
import { syncPullRequest } from './sync-pull-request.ts';
import { pullRequestsNamed } from './queries.ts';

const MAX_PULL_REQUESTS = 20;

/**
 * Handles a code host's webhook. It only names pull requests to sync: their present state counts,
 * so that a repeated, late or reordered webhook changes nothing.
 */
export async function handlePullRequestDelivery(
  deps: Pick<Deps, 'db' | 'clock' | 'connections' | 'config' | 'trackers' | 'codeHosts'>,
  { event, body }: Pick<StoredDelivery, 'event' | 'body'>,
  signal: AbortSignal,
): Promise<DeliveryResult> {
  const payload = JSON.parse(body) as unknown;
  const hints = deps.codeHosts.flatMap((host) => host.hintsOf?.(event, payload) ?? []);
  if (hints.length === 0) return { outcome: 'ignored' };
  const names = {
    numbers: hints.flatMap(({ number }) => number ?? []),
    branches: hints.flatMap(({ branch }) => branch ?? []),
    endedToo: hints.some(({ reopened }) => reopened === true),
  };
  const named = await pullRequestsNamed(deps.db, names, MAX_PULL_REQUESTS);
  const rows = named.filter((row) =>
    hints.some(
      (hint) =>
        hint.isOf(row.repository_url) &&
        (hint.number === row.number || hint.branch === row.branch || hint.branch === row.base),
    ),
  );
  if (rows.length === 0) return { outcome: 'ignored' };
  for (const row of rows) await syncPullRequest(deps, row, signal);
  return { outcome: 'processed' };
}
