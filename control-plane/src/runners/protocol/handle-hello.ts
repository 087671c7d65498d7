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
import type { RunnerRow } from '../../db/schema/runners/runners.ts';
import type { Bound, Deps } from '../../deps.ts';
import type { reclaimMissingAttempts } from '../leases/reclaim-attempt.ts';
import { DRAIN_DEADLINE_MS } from '../admin/drain-runner.ts';
import { resendOffers } from './resend-offers.ts';
import type { beginSession } from '../session/begin-session.ts';
import { finalError, type Replies, type RunnerSession } from '../session/runner-session.ts';
import { judgeInventory } from '../session/judge-inventory.ts';

/**
 * Handles `hello`: begins a session, of which the newest wins, judges the inventory, and requeues
 * attempts that the runner no longer lists. The lease is renewed only if an attempt is held.
 */
export async function handleHello(
  deps: Pick<Deps, 'connections' | 'service' | 'liveText'> & {
    beginSession: Bound<typeof beginSession>;
    reclaimMissingAttempts: Bound<typeof reclaimMissingAttempts>;
  },
  session: RunnerSession,
  message: RunnerMessageOf<'hello'>,
): Promise<Replies> {
  if (message.runnerId !== session.runnerId) {
    return [finalError('WRONG_RUNNER', 'hello names another runner than the token')];
  }
  if (message.protocol.min > PROTOCOL_MAX || message.protocol.max < PROTOCOL_MIN) {
    return [finalError('PROTOCOL', `this control plane speaks ${PROTOCOL_MIN} to ${PROTOCOL_MAX}`)];
  }
  const begun = await deps.beginSession(session, message);
  if (begun === null) {
    return [finalError('RUNNER_REVOKED', 'this runner was revoked; join again')];
  }
  const { number, before, held, nowMs, drain, rows, twinUntilMs } = begun;
  session.session = number;
  session.leases.clear();
  deps.connections.abandon(session.runnerId);
  if (twinUntilMs === null || twinUntilMs <= nowMs)
    await deps.reclaimMissingAttempts(held, message.held, lossOf(before, message));
  return [
    {
      type: 'welcome',
      session: number,
      protocol: Math.min(PROTOCOL_MAX, message.protocol.max),
      ttlMs: deps.service.leaseTimes.ttlMs,
      renewMs: deps.service.leaseTimes.renewMs,
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

/**
 * Why attempts that a runner no longer lists are lost, and when it was last seen before this hello.
 */
function lossOf(row: RunnerRow, { bootId, instanceId }: RunnerMessageOf<'hello'>) {
  const lastSeenAtMs = row.last_seen_at_ms ?? 0;
  if (row.boot_id !== bootId) return { why: 'its host was restarted', lastSeenAtMs };
  if (row.instance_id !== instanceId) return { why: 'its runner was restarted', lastSeenAtMs };
  return { why: 'its runner no longer has it', lastSeenAtMs };
}
