import { and, eq, isNull } from 'drizzle-orm';
import type { RunnerMessageOf } from '@switchyard/shared/protocol/messages';
import { commitSteps, expectRowsAffected, type Step } from '../../db/commit-steps.ts';
import type { AttemptRow } from '../../db/schema/work/attempts.ts';
import { type RunnerRow, runners } from '../../db/schema/runners/runners.ts';
import type { Deps } from '../../deps.ts';
import { appendEvents } from '../../observe/events/append-events.ts';
import { nobodyElseLeads } from '../../jobs/leadership/leads-now.ts';
import { visibleLine } from '../../attempts/prompt/untrusted-text.ts';
import { narrowLabels } from '../decide.ts';
import { type InventoryRows, inventoryReads, runnerWithAttempts } from '../queries.ts';
import type { RunnerSession } from './runner-session.ts';

/** Shortest time in which a host can restart and connect again. */
const TWIN_SUSPICION_MS = 10_000;
/** Retries when several sessions of one runner begin at once. */
const MAX_TRIES = 5;

type Begun = {
  number: number;
  /** The runner's row before this session. */
  before: RunnerRow;
  held: AttemptRow[];
  nowMs: number;
  drain: boolean;
  twinUntilMs: number | null;
  rows: InventoryRows;
};

/**
 * Raises the runner's session number; of two sessions that begin at once exactly one is the newest.
 * Null for a revoked runner.
 */
export async function beginSession(
  deps: Pick<Deps, 'db' | 'clock' | 'logger' | 'service'>,
  { runnerId }: Pick<RunnerSession, 'runnerId'>,
  message: RunnerMessageOf<'hello'>,
): Promise<Begun | null> {
  for (let tries = 1; ; tries += 1) {
    const { runner: row, held } = await runnerWithAttempts(deps.db, runnerId);
    if (row === null || row.revoked_at_ms !== null) return null;
    const nowMs = deps.clock.nowMs();
    const twinUntilMs = twinUntil(deps, row, message, nowMs);
    const results = await commitSteps(deps.db, [
      ...sessionSteps(deps, { row, message, held, nowMs, twinUntilMs }),
      ...inventoryReads(deps.db, message.held),
    ]);
    if (results !== null) {
      const rows = results.slice(-3) as InventoryRows;
      const drain = wasAskedToDrain(row, message);
      return { number: row.session + 1, before: row, held, nowMs, drain, twinUntilMs, rows };
    }
    if (tries >= MAX_TRIES) throw new Error('other sessions of this runner keep beginning');
  }
}

/**
 * Whether a drain request was lost on its way and is sent again; a new process starts undrained.
 */
function wasAskedToDrain(row: RunnerRow, message: RunnerMessageOf<'hello'>): boolean {
  return row.draining && !message.draining && row.instance_id === message.instanceId;
}

/**
 * Until when another process may be using the same identity (a copied disk), epoch milliseconds, so
 * that this hello's missing attempts are not requeued yet.
 *
 * Suspected for a hello from another machine, or from another process while the former socket is
 * open (a new socket closes it first); without machine names also for another boot right after the
 * runner was seen.
 */
function twinUntil(
  { logger, service }: Pick<Deps, 'service' | 'logger'>,
  row: RunnerRow,
  message: RunnerMessageOf<'hello'>,
  nowMs: number,
): number | null {
  const another = row.instance_id !== null && row.instance_id !== message.instanceId;
  const suspect =
    isElsewhere(row, message) ?? mayBeElsewhere(row, message, service.instanceId, nowMs);
  const leaseUntilMs = leaseEndMs(row, service.leaseTimes.ttlMs);
  if (!suspect || !another || leaseUntilMs <= nowMs) return row.twin_until_ms;
  logger.warn('another process uses the identity of a connected runner', {
    runnerId: row.runner_id,
  });
  return Math.max(row.twin_until_ms ?? 0, leaseUntilMs + service.leaseTimes.graceMs);
}

/**
 * The latest end of the former process's lease: one lease after it was last seen, because the
 * stored end may come from a clock that was changed since.
 */
function leaseEndMs(row: RunnerRow, ttlMs: number): number {
  const lastSeenAtMs = row.last_seen_at_ms ?? 0;
  return Math.max(row.lease_until_ms ?? 0, lastSeenAtMs + ttlMs);
}

/**
 * Whether the former process ran on another machine; false for a new boot of the same machine; null
 * when not known.
 */
function isElsewhere(row: RunnerRow, message: RunnerMessageOf<'hello'>): boolean | null {
  if (row.machine_id === null || message.machineId === undefined) return null;
  if (row.machine_id !== message.machineId) return true;
  return row.boot_id === message.bootId ? null : false;
}

/**
 * Suspects a former process that may still run. Within one boot the row's `connected` counts only
 * if this instance set it, since a killed control plane leaves it set.
 */
function mayBeElsewhere(
  row: RunnerRow,
  message: RunnerMessageOf<'hello'>,
  instanceId: string,
  nowMs: number,
): boolean {
  if (row.boot_id === message.bootId) return row.connected && row.accepted_by === instanceId;
  return row.connected || nowMs - (row.last_seen_at_ms ?? 0) < TWIN_SUSPICION_MS;
}

function sessionSteps(
  { db, service }: Pick<Deps, 'db' | 'service'>,
  input: {
    row: RunnerRow;
    message: RunnerMessageOf<'hello'>;
    held: AttemptRow[];
    nowMs: number;
    twinUntilMs: number | null;
  },
): Step[] {
  const { row, message, held, nowMs, twinUntilMs } = input;
  // A duplicate identity that lists no attempts must not renew the lease of the original.
  const listed = new Set(message.held.map(({ attemptId }) => attemptId));
  const holdsLease = held.some(
    ({ status, attempt_id }) => status === 'running' && listed.has(attempt_id),
  );
  return [
    expectRowsAffected(
      db
        .update(runners)
        .set({
          session: row.session + 1,
          connected: true,
          accepted_by: service.instanceId,
          labels: narrowLabels(message.labels.map(visibleLine), row.allowed_labels),
          slots_total: message.slots.total,
          slots_free: message.slots.free,
          isolation: message.isolation,
          isolation_levels: message.isolationLevels ?? null,
          version: visibleLine(message.version),
          engine_version:
            message.engineVersion === undefined ? null : visibleLine(message.engineVersion),
          engines:
            message.engines?.map((engine) => ({
              ...engine,
              version: visibleLine(engine.version),
              ...(engine.problem === undefined ? {} : { problem: visibleLine(engine.problem) }),
            })) ?? null,
          features: message.features,
          warnings: message.warnings.map(visibleLine),
          draining: message.draining || wasAskedToDrain(row, message),
          instance_id: message.instanceId,
          boot_id: message.bootId,
          machine_id: message.machineId ?? null,
          twin_until_ms: twinUntilMs,
          last_seen_at_ms: nowMs,
          ...(holdsLease ? { lease_until_ms: nowMs + service.leaseTimes.ttlMs } : {}),
        })
        .where(
          and(
            eq(runners.runner_id, row.runner_id),
            eq(runners.session, row.session),
            isNull(runners.revoked_at_ms),
            nobodyElseLeads({ service }),
          ),
        ),
    ),
    ...appendEvents(db, nowMs, [
      {
        type: 'runner.connected',
        atMs: nowMs,
        data: {
          runnerId: row.runner_id,
          name: row.name,
          isolation: message.isolation,
          slots: message.slots.total,
          twin: twinUntilMs !== null && twinUntilMs > nowMs,
        },
      },
    ]),
  ];
}
