import type { Deps } from '../deps.ts';
import type { DeliveryRow } from '../db/schema/operation/webhook-deliveries.ts';
import type { DeliveryHandler, DeliveryResult } from '../ports/ports.ts';
import { endAsFailed, endAsRefused, endOne, endTogether } from './end-together.ts';
import { dueDeliveries } from './queries.ts';

/** Handlers that run concurrently, so that those that need the same data share one request. */
const DELIVERIES_PER_ROUND = 32;
const HANDLER_TIMEOUT_MS = 10_000;
/**
 * Time budget of one run, so that a burst does not delay other work; the rest is due in the next
 * run.
 */
const RUN_BUDGET_MS = 1_000;
const MAX_ROUNDS = 64;

/** A delivery whose handler returned no statements. */
type Plain = { row: DeliveryRow; outcome: 'processed' | 'ignored' };
/** The result of a handler for one delivery. */
type Handled = { row: DeliveryRow; result: DeliveryResult | { outcome: 'failed'; error: unknown } };

export type ProcessedDeliveries = {
  /** Number of deliveries that were handled. */
  seen: number;
  /**
   * Ends the deliveries without statements. Nothing waits for it, so it may share a later commit.
   */
  endRest: () => Promise<void>;
};

type ProcessDeps = Pick<Deps, 'db' | 'clock' | 'logger' | 'metrics' | 'deliveryHandlers'> & {
  /** Handles the requests of other systems. */
  triggers: DeliveryHandler;
};

/**
 * Passes due deliveries, oldest first, to their provider's handler, then ends them, schedules a
 * retry or makes them dead letters. Those without statements are ended by `endRest`.
 */
export async function processDeliveries(deps: ProcessDeps): Promise<ProcessedDeliveries> {
  const startedAtMs = deps.clock.nowMs();
  let seen = 0;
  for (let round = 1; ; round += 1) {
    const due = await dueDeliveries(deps.db, deps.clock.nowMs(), DELIVERIES_PER_ROUND);
    const rest = await endGroup(deps, await Promise.all(due.map((row) => handleOne(deps, row))));
    seen += due.length;
    const isOver = deps.clock.nowMs() - startedAtMs >= RUN_BUDGET_MS || round >= MAX_ROUNDS;
    const endRest = () => endTogether(deps, rest);
    if (due.length < DELIVERIES_PER_ROUND || isOver) return { seen, endRest };
    await endRest();
  }
}

async function handleOne(
  { triggers, deliveryHandlers }: Pick<ProcessDeps, 'triggers' | 'deliveryHandlers'>,
  row: DeliveryRow,
): Promise<Handled> {
  const { provider } = row;
  const handler = provider === 'trigger' ? triggers : deliveryHandlers?.get(provider);
  if (handler === undefined) return { row, result: { outcome: 'ignored' } };
  const { delivery_id: deliveryId, event, body, received_at_ms: receivedAtMs, tries } = row;
  const timeout = AbortSignal.timeout(HANDLER_TIMEOUT_MS);
  try {
    const handling = handler.handle({ deliveryId, event, body, receivedAtMs, tries }, timeout);
    return { row, result: await Promise.race([handling, rejectOn(timeout)]) };
  } catch (error) {
    return { row, result: { outcome: 'failed', error } };
  }
}

/**
 * Rejects when the signal aborts, so that a handler that ignores the signal does not delay others.
 */
function rejectOn(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const late = () => reject(new DOMException('the handler took too long', 'TimeoutError'));
    signal.addEventListener('abort', late, { once: true });
  });
}

/** Ends the deliveries that have statements or failed, and returns the others. */
async function endGroup(
  deps: Pick<Deps, 'db' | 'clock' | 'logger' | 'metrics'>,
  handled: readonly Handled[],
): Promise<Plain[]> {
  const plain: Plain[] = [];
  // In parallel, so that many failures during an outage cost one commit instead of one each.
  await Promise.all(
    handled.flatMap(({ row, result }) =>
      result.outcome === 'failed' ? [endAsFailed(deps, row, result.error)] : [],
    ),
  );
  for (const { row, result } of handled) {
    if (result.outcome === 'failed') continue;
    if (result.outcome === 'refused') await endAsRefused(deps, row, result.reason);
    else if (result.statements === undefined) plain.push({ row, outcome: result.outcome });
    else await endOne(deps, row, result.outcome, result.statements);
  }
  return plain;
}
