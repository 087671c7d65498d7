import { awaitedFacts } from '@switchyard/shared/engine/awaited-facts';
import type { Runner } from '@switchyard/shared/api/runner';
import type { RunnerRow } from '../db/schema/runners/runners.ts';
import { enginesOf } from './available-engines/engines-of.ts';

/** What is known about a runner's connection besides its row. */
type RunnerSeen = {
  attemptIds: string[];
  /**
   * When the connection was last seen, epoch milliseconds (an idle runner writes no row). Null: it
   * has no connection here.
   */
  lastSeenAtMs: number | null;
  /** This instance knows all connections, so a runner without one is disconnected. */
  isHolder: boolean;
};

/** The runner as the API shows it. */
export function runnerRecord(row: RunnerRow, seen: RunnerSeen): Runner {
  const { attemptIds } = seen;
  return {
    runnerId: row.runner_id,
    name: row.name,
    status: statusOf(row, seen),
    labels: row.labels,
    slots: { total: row.slots_total, free: Math.max(0, row.slots_total - attemptIds.length) },
    isolation: row.isolation,
    isolationLevel: row.isolation_levels?.default ?? null,
    runtimes: row.isolation_levels?.runtimes ?? {},
    version: row.version,
    engineVersion: row.engine_version,
    engines: enginesOf(row).map((engine) => ({
      name: engine.name,
      version: engine.version,
      experimental: engine.capabilities?.experimental ?? false,
      ...awaitedFacts(engine),
    })),
    warnings: row.warnings,
    attempts: attemptIds,
    load: loadOf(row, attemptIds),
    // A runner without attempts has no lease that needs renewal.
    leaseUntil: attemptIds.length === 0 ? null : isoTime(row.lease_until_ms),
    lastSeenAt: isoTime(lastSeenMs(row, seen)),
    joinedAt: new Date(row.joined_at_ms).toISOString(),
  };
}

/**
 * Reported load, limited to attempts it still holds: the last renewal may predate an attempt's end.
 */
function loadOf(row: RunnerRow, attemptIds: readonly string[]): Runner['load'] {
  const reported = Object.entries(row.load ?? {});
  return Object.fromEntries(reported.filter(([attemptId]) => attemptIds.includes(attemptId)));
}

function lastSeenMs({ last_seen_at_ms: atMs }: RunnerRow, { lastSeenAtMs }: RunnerSeen) {
  return lastSeenAtMs === null ? atMs : Math.max(atMs ?? 0, lastSeenAtMs);
}

function isoTime(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

/** After a crash of the control plane a row may still be marked as connected. */
function statusOf(row: RunnerRow, { lastSeenAtMs, isHolder }: RunnerSeen): Runner['status'] {
  if (row.revoked_at_ms !== null) return 'revoked';
  if (!row.connected || (isHolder && lastSeenAtMs === null)) return 'offline';
  return row.draining ? 'draining' : 'connected';
}
