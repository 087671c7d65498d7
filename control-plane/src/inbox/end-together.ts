import { and, eq } from 'drizzle-orm';
import { groupBy } from '@switchyard/shared/group-by';
import { cutText } from '@switchyard/shared/text/cut-text';
import { commitChange } from '../observe/events/commit-change.ts';
import type { Statement } from '../db/database.ts';
import type { StoredEvent } from '../db/schema/operation/events.ts';
import { type DeliveryRow, webhookDeliveries } from '../db/schema/operation/webhook-deliveries.ts';
import type { Deps } from '../deps.ts';
import { appendEvents } from '../observe/events/append-events.ts';
import { errorMessage, logMessage } from '../error-message.ts';
import { retryAtMs } from '../jobs/queue/retry-delay-ms.ts';
import { decideAfterFailure } from './decide.ts';
import { endDeliveries } from './queries.ts';

type EndDeps = Pick<Deps, 'db' | 'clock' | 'logger' | 'metrics'>;
type Outcome = 'processed' | 'ignored';

const MAX_ERROR_CHARACTERS = 2_000;

/** Ends deliveries without statements of their own in one write. */
export async function endTogether(
  deps: EndDeps,
  ended: readonly { row: DeliveryRow; outcome: Outcome }[],
): Promise<void> {
  if (ended.length === 0) return;
  const { db } = deps;
  const nowMs = deps.clock.nowMs();
  const byOutcome = groupBy(ended, ({ outcome }) => outcome);
  const updates = [...byOutcome].map(([outcome, those]) =>
    endDeliveries(
      db,
      nowMs,
      those.map(({ row }) => row.delivery),
      outcome,
    ),
  );
  const events = ended.map(({ row, outcome }) => processedEvent(row, outcome, nowMs));
  const [first, ...rest] = [...updates, ...appendEvents(db, nowMs, events)];
  if (first !== undefined) await db.batch([first, ...rest]);
  for (const { row, outcome } of ended) countProcessed(deps, row, outcome, nowMs);
}

/** Ends a delivery together with its handler's statements, all or nothing. */
export async function endOne(
  deps: EndDeps,
  row: DeliveryRow,
  outcome: Outcome,
  statements: readonly Statement[],
): Promise<void> {
  const { db } = deps;
  const nowMs = deps.clock.nowMs();
  const mark = db
    .update(webhookDeliveries)
    .set({ status: 'processed', outcome, ended_at_ms: nowMs, last_error: null })
    .where(stillAsRead(row));
  let committed: boolean;
  try {
    committed = await commitChange(deps, {
      swap: mark,
      also: statements,
      events: [processedEvent(row, outcome, nowMs)],
      nowMs,
    });
  } catch (error) {
    return endAsFailed(deps, row, error);
  }
  // On a conflict with the handler's statements the next try decides again.
  if (!committed) return endAsFailed(deps, row, new Error('the target has changed'));
  countProcessed(deps, row, outcome, nowMs);
}

/** Schedules a retry of a delivery, or makes it a dead letter after the last try. */
export async function endAsFailed(deps: EndDeps, row: DeliveryRow, error: unknown): Promise<void> {
  const nowMs = deps.clock.nowMs();
  const message = errorMessage(error);
  const next = decideAfterFailure(row.tries, nowMs, retryAtMs(error));
  if (next.kind === 'dead')
    return bury(deps, row, { tries: next.tries, message, why: 'exhausted' });
  await deps.db
    .update(webhookDeliveries)
    .set({
      tries: next.tries,
      next_try_at_ms: next.nextTryAtMs,
      last_error: cutText(message, MAX_ERROR_CHARACTERS),
    })
    .where(stillAsRead(row));
  const { provider } = row;
  deps.logger.warn('a delivery failed and is retried', {
    provider,
    deliveryId: row.delivery_id,
    tries: next.tries,
    error: logMessage(error),
  });
  if (provider === 'trigger') return;
  const reason = isTimeout(error) ? 'timeout' : 'error';
  deps.metrics.inc('service_webhook_processor_retries_total', { provider, reason });
}

/** Makes a dead letter of a delivery that can never be processed. */
export async function endAsRefused(
  deps: EndDeps,
  row: DeliveryRow,
  message: string,
): Promise<void> {
  await bury(deps, row, { tries: row.tries + 1, message, why: 'refused' });
}

async function bury(
  deps: EndDeps,
  row: DeliveryRow,
  end: { tries: number; message: string; why: 'exhausted' | 'refused' },
): Promise<void> {
  const { db } = deps;
  const nowMs = deps.clock.nowMs();
  const { provider, delivery_id: deliveryId, event, delivery } = row;
  const error = cutText(end.message, MAX_ERROR_CHARACTERS);
  const dead = { provider, deliveryId, event, delivery, reason: end.why };
  const mark = db
    .update(webhookDeliveries)
    .set({ status: 'dead', tries: end.tries, last_error: error, ended_at_ms: nowMs })
    .where(stillAsRead(row));
  const events = [{ type: 'webhook.dead' as const, data: dead }];
  // Otherwise another instance has already ended it.
  if (!(await commitChange(deps, { swap: mark, events, nowMs }))) return;
  deps.logger.error('a delivery is a dead letter', { ...dead, error });
  deps.metrics.inc('service_webhook_dlq_total', { reason: end.why });
}

function stillAsRead(row: DeliveryRow) {
  const { delivery, status, tries } = webhookDeliveries;
  return and(eq(delivery, row.delivery), eq(status, 'pending'), eq(tries, row.tries));
}

function processedEvent(row: DeliveryRow, outcome: Outcome, nowMs: number): StoredEvent {
  const { provider, delivery_id: deliveryId, event } = row;
  return { type: 'webhook.processed', atMs: nowMs, data: { provider, deliveryId, event, outcome } };
}

function countProcessed(
  { metrics }: EndDeps,
  row: DeliveryRow,
  outcome: Outcome,
  nowMs: number,
): void {
  const { provider } = row;
  if (provider === 'trigger') return;
  metrics.inc('service_webhook_events_processed_total', { provider, outcome });
  const seconds = Math.max(0, nowMs - row.received_at_ms) / 1_000;
  metrics.observe('service_webhook_processing_latency_seconds', { provider }, seconds);
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError');
}
