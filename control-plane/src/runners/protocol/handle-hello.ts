import { and, eq, isNull } from 'drizzle-orm';
import {
  AWAITED_ENGINE_FEATURE,
  LATE_FINISH_FEATURE,
  LIVE_TEXT_FEATURE,
} from '@switchyard/shared/protocol/features';
import {
  MAX_FRAME_BYTES,
  OFFER_TTL_MS,
  PING_MS,
  PROTOCOL_MAX,
  PROTOCOL_MIN,
  WINDOW_BYTES,
  WINDOW_EVENTS,
} from '@switchyard/shared/protocol/limits';
import type { RunnerMessageOf } from '@switchyard/shared/protocol/messages';
import { commitSteps, expectRowsAffected, type Step } from '../../db/commit-steps.ts';
import type { AttemptRow } from '../../db/schema/work/attempts.ts';
import { type RunnerRow, runners } from '../../db/schema/runners/runners.ts';
import type { Deps } from '../../deps.ts';
import { appendEvents } from '../../observe/events/append-events.ts';
import { nobodyElseLeads } from '../../jobs/leadership/leads-now.ts';
import { visibleLine } from '../../attempts/prompt/untrusted-text.ts';
import { narrowLabels } from '../decide.ts';
import { reclaimMissingAttempts } from '../leases/reclaim-attempt.ts';
import { DRAIN_DEADLINE_MS } from '../admin/drain-runner.ts';
import { resendOffers } from './resend-offers.ts';
import { type InventoryRows, inventoryReads, runnerWithAttempts } from '../queries.ts';
import { finalError, type Replies, type RunnerSession } from '../session/runner-session.ts';
import { judgeInventory } from '../session/judge-inventory.ts';

/** No host comes back from a restart this soon after it was last heard. */
const TWIN_SUSPICION_MS = 10_000;
/** Sessions of one runner that begin at the same moment are few. */
const MAX_TRIES = 5;

/**
 * Begins a session: the newest wins, the inventory is judged, and what the runner no longer has is
 * queued again at once. The lease is renewed only when something is held.
 */
export async function handleHello(
  deps: Deps,
  session: RunnerSession,
  message: RunnerMessageOf<'hello'>,
): Promise<Replies> {
  if (message.runnerId !== session.runnerId) {
    return [finalError('WRONG_RUNNER', 'hello names another runner than the token')];
  }
  if (message.protocol.min > PROTOCOL_MAX || message.protocol.max < PROTOCOL_MIN) {
    return [finalError('PROTOCOL', `this control plane speaks ${PROTOCOL_MIN} to ${PROTOCOL_MAX}`)];
  }
  const begun = await beginSession(deps, session, message);
  if (begun === null) {
    return [finalError('RUNNER_REVOKED', 'this runner was revoked; join again')];
  }
  const { number, before, held, nowMs, drain, rows, twinUntilMs } = begun;
  session.session = number;
  session.leases.clear();
  deps.calls.abandon(session.runnerId);
  if (twinUntilMs === null || twinUntilMs <= nowMs)
    await reclaimMissingAttempts(deps, held, message.held, lossOf(before, message));
  deps.wake();
  return [
    {
      type: 'welcome',
      session: number,
      protocol: Math.min(PROTOCOL_MAX, message.protocol.max),
      ttlMs: deps.leases.ttlMs,
      renewMs: deps.leases.renewMs,
      pingMs: PING_MS,
      offerTtlMs: OFFER_TTL_MS,
      window: { events: WINDOW_EVENTS, bytes: WINDOW_BYTES },
      maxFrameBytes: MAX_FRAME_BYTES,
      features: [
        LATE_FINISH_FEATURE,
        AWAITED_ENGINE_FEATURE,
        ...(deps.liveText === undefined ? [] : [LIVE_TEXT_FEATURE]),
      ],
      verdicts: judgeInventory(rows, session.runnerId, message.held),
    },
    ...(drain ? [{ type: 'drain' as const, deadlineMs: DRAIN_DEADLINE_MS }] : []),
    ...resendOffers(held, message.held, nowMs),
  ];
}

/** A wish to drain that got lost on its way is said again; a new process begins without it. */
function wasAskedToDrain(row: RunnerRow, message: RunnerMessageOf<'hello'>): boolean {
  return row.draining && !message.draining && row.instance_id === message.instanceId;
}

/**
 * Until when this hello's word that something is gone is not believed: a copied identity speaks, and
 * the other one may still have it. That is a hello from another machine. Otherwise it is another
 * process while the former one's socket stands (a new socket closes the former before its hello
 * comes), and, where machines have no names, another boot right after it went.
 */
function twinUntil(
  { leases, logger, service }: Pick<Deps, 'leases' | 'logger' | 'service'>,
  row: RunnerRow,
  message: RunnerMessageOf<'hello'>,
  nowMs: number,
): number | null {
  const another = row.instance_id !== null && row.instance_id !== message.instanceId;
  const suspect =
    isElsewhere(row, message) ?? mayBeElsewhere(row, message, service.instanceId, nowMs);
  const leaseUntilMs = leaseEndMs(row, leases.ttlMs);
  if (!suspect || !another || leaseUntilMs <= nowMs) return row.twin_until_ms;
  logger.warn('another process uses the identity of a connected runner', {
    runnerId: row.runner_id,
  });
  return Math.max(row.twin_until_ms ?? 0, leaseUntilMs + leases.graceMs);
}

/**
 * When the former process's lease ends at the latest: a whole lease after it was last heard. Its own
 * date may be one of a clock that was set since.
 */
function leaseEndMs(row: RunnerRow, ttlMs: number): number {
  const lastSeenAtMs = row.last_seen_at_ms ?? 0;
  return Math.max(row.lease_until_ms ?? 0, lastSeenAtMs + ttlMs);
}

/** Whether the former process was on another machine; a new boot of the same one ended it. */
function isElsewhere(row: RunnerRow, message: RunnerMessageOf<'hello'>): boolean | null {
  if (row.machine_id === null || message.machineId === undefined) return null;
  if (row.machine_id !== message.machineId) return true;
  return row.boot_id === message.bootId ? null : false;
}

/**
 * A row may call a session connected that an instance of the control plane took before it was
 * killed: within one boot that is no sign of life, since both halves may have died together.
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

/** Of what a runner does not list that had it: why, and when it was heard before this hello. */
function lossOf(row: RunnerRow, { bootId, instanceId }: RunnerMessageOf<'hello'>) {
  const lastSeenAtMs = row.last_seen_at_ms ?? 0;
  if (row.boot_id !== bootId) return { why: 'its host was restarted', lastSeenAtMs };
  if (row.instance_id !== instanceId) return { why: 'its runner was restarted', lastSeenAtMs };
  return { why: 'its runner no longer has it', lastSeenAtMs };
}

type Begun = {
  number: number;
  /** The runner as it was before. */
  before: RunnerRow;
  held: AttemptRow[];
  nowMs: number;
  drain: boolean;
  twinUntilMs: number | null;
  rows: InventoryRows;
};

/**
 * Raises the runner's session by one. Of two that begin at once each gets a number of its own, so
 * that exactly one is the newest. Null for a revoked runner.
 */
async function beginSession(
  deps: Deps,
  session: RunnerSession,
  message: RunnerMessageOf<'hello'>,
): Promise<Begun | null> {
  for (let tries = 1; ; tries += 1) {
    const { runner: row, held } = await runnerWithAttempts(deps.db, session.runnerId);
    if (row === null || row.revoked_at_ms !== null) return null;
    const nowMs = deps.clock.nowMs();
    const twinUntilMs = twinUntil(deps, row, message, nowMs);
    const results = await commitSteps(deps, [
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

function sessionSteps(
  { db, leases, service }: Pick<Deps, 'db' | 'leases' | 'service'>,
  input: {
    row: RunnerRow;
    message: RunnerMessageOf<'hello'>;
    held: AttemptRow[];
    nowMs: number;
    twinUntilMs: number | null;
  },
): Step[] {
  const { row, message, held, nowMs, twinUntilMs } = input;
  // A copy that lists nothing must not keep alive what the original has ceased to renew.
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
          warnings: message.warnings.map(visibleLine),
          draining: message.draining || wasAskedToDrain(row, message),
          instance_id: message.instanceId,
          boot_id: message.bootId,
          machine_id: message.machineId ?? null,
          twin_until_ms: twinUntilMs,
          last_seen_at_ms: nowMs,
          ...(holdsLease ? { lease_until_ms: nowMs + leases.ttlMs } : {}),
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
