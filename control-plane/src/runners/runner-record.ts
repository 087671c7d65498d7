import { awaitedFacts } from '@switchyard/shared/engine/awaited-facts';
import type { Runner } from '@switchyard/shared/api/runner';
import type { RunnerRow } from '../db/schema/runners/runners.ts';
import { enginesOf } from './available-engines/engines-of.ts';

/** What is known of a runner beside its row. */
type RunnerSeen = {
  attemptIds: string[];
  /** When its connection was last heard: a runner without work writes no row. Null: it has none here. */
  lastSeenAtMs: number | null;
  /** It is known whose connections stand: one that was not heard has none. */
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
    // Nobody renews the lease of a runner that holds nothing, and none is needed.
    leaseUntil: attemptIds.length === 0 ? null : isoTime(row.lease_until_ms),
    lastSeenAt: isoTime(lastSeenMs(row, seen)),
    joinedAt: new Date(row.joined_at_ms).toISOString(),
  };
}

/** Only of what it still holds: the last renewal may be older than an attempt's end. */
function loadOf(row: RunnerRow, attemptIds: readonly string[]): Runner['load'] {
  const told = Object.entries(row.load ?? {});
  return Object.fromEntries(told.filter(([attemptId]) => attemptIds.includes(attemptId)));
}

function lastSeenMs({ last_seen_at_ms: atMs }: RunnerRow, { lastSeenAtMs }: RunnerSeen) {
  return lastSeenAtMs === null ? atMs : Math.max(atMs ?? 0, lastSeenAtMs);
}

function isoTime(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

/** A row may call one connected whose control plane was killed. */
function statusOf(row: RunnerRow, { lastSeenAtMs, isHolder }: RunnerSeen): Runner['status'] {
  if (row.revoked_at_ms !== null) return 'revoked';
  if (!row.connected || (isHolder && lastSeenAtMs === null)) return 'offline';
  return row.draining ? 'draining' : 'connected';
}
