import { and, eq, isNull } from 'drizzle-orm';
import type { RunnerMessageOf } from '@switchyard/shared/protocol/messages';
import { storeHeldAttempts } from '../../attempts/rows/store-held-attempts.ts';
import { commitSilently, expectRowsAffected } from '../../db/commit-steps.ts';
import { runners } from '../../db/schema/runners/runners.ts';
import type { Deps } from '../../deps.ts';
import { nobodyElseLeads } from '../../jobs/leadership/leads-now.ts';
import { type InventoryRows, inventoryReads } from '../queries.ts';
import { refuseSession } from '../session/refuse-session.ts';
import type { Replies, RunnerSession } from '../session/runner-session.ts';
import { judgeInventory } from '../session/judge-inventory.ts';

/** The reported container load, limited to attempts that the runner lists. */
function loadOfHeld({ load, held }: RunnerMessageOf<'renew'>) {
  if (load === undefined) return null;
  const listed = held.flatMap(({ attemptId }) => {
    const use = load[attemptId];
    return use === undefined ? [] : [[attemptId, use] as const];
  });
  return Object.fromEntries(listed);
}

/**
 * Handles `renew`, the only lease renewal: extends the runner's lease, records what it no longer
 * lists and answers with every verdict other than "keep".
 */
export async function handleRenew(
  deps: Pick<Deps, 'db' | 'clock' | 'service'>,
  session: RunnerSession,
  message: RunnerMessageOf<'renew'>,
): Promise<Replies> {
  const nowMs = deps.clock.nowMs();
  const { db } = deps;
  const results = await commitSilently(db, [
    expectRowsAffected(
      db
        .update(runners)
        .set({
          lease_until_ms: nowMs + deps.service.leaseTimes.ttlMs,
          last_seen_at_ms: nowMs,
          slots_total: message.slots.total,
          slots_free: message.slots.free,
          load: loadOfHeld(message),
        })
        .where(
          and(
            eq(runners.runner_id, session.runnerId),
            eq(runners.session, session.session ?? -1),
            isNull(runners.revoked_at_ms),
            nobodyElseLeads(deps),
          ),
        ),
    ),
    ...storeHeldAttempts(db, nowMs, session.runnerId, message.held),
    ...inventoryReads(db, message.held),
  ]);
  if (results === null) return [await refuseSession(deps, session, { ref: message.ref })];
  const rows = results.slice(-3) as InventoryRows;
  const verdicts = judgeInventory(rows, session.runnerId, message.held);
  const worthSaying = verdicts.filter(
    (verdict) =>
      verdict.verdict !== 'keep' ||
      verdict.cancel !== undefined ||
      verdict.answers !== undefined ||
      verdict.steers !== undefined,
  );
  return [
    {
      type: 'renewed',
      ref: message.ref,
      ttlMs: deps.service.leaseTimes.ttlMs,
      verdicts: worthSaying,
    },
  ];
}
