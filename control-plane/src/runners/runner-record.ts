import type { Runner } from '@switchyard/shared/api/runner';
import type { RunnerRow } from '../db/schema/runners/runners.ts';
import { enginesOf } from './engines/engines-of.ts';

/** The runner as the API shows it. */
export function runnerRecord(row: RunnerRow, attemptIds: string[]): Runner {
  return {
    runnerId: row.runner_id,
    name: row.name,
    status: statusOf(row),
    labels: row.labels,
    slots: { total: row.slots_total, free: Math.max(0, row.slots_total - attemptIds.length) },
    isolation: row.isolation,
    isolationLevel: row.isolation_levels?.default ?? null,
    runtimes: row.isolation_levels?.runtimes ?? {},
    version: row.version,
    engineVersion: row.engine_version,
    engines: enginesOf(row).map(({ name, version, capabilities }) => ({
      ...{ name, version, experimental: capabilities?.experimental ?? false },
    })),
    warnings: row.warnings,
    attempts: attemptIds,
    load: loadOf(row, attemptIds),
    leaseUntil: row.lease_until_ms === null ? null : new Date(row.lease_until_ms).toISOString(),
    lastSeenAt: row.last_seen_at_ms === null ? null : new Date(row.last_seen_at_ms).toISOString(),
    joinedAt: new Date(row.joined_at_ms).toISOString(),
  };
}

/** Only of what it still holds: the last renewal may be older than an attempt's end. */
function loadOf(row: RunnerRow, attemptIds: readonly string[]): Runner['load'] {
  const told = Object.entries(row.load ?? {});
  return Object.fromEntries(told.filter(([attemptId]) => attemptIds.includes(attemptId)));
}

function statusOf(row: RunnerRow): Runner['status'] {
  if (row.revoked_at_ms !== null) return 'revoked';
  if (!row.connected) return 'offline';
  return row.draining ? 'draining' : 'connected';
}
