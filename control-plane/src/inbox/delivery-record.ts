import type { DeadLetter } from '@switchyard/shared/api/admin/webhook';
import type { DeliveryRow } from '../db/schema/operation/webhook-deliveries.ts';

/** A delivery as the API shows it, without its body. */
export function deliveryRecord(row: DeliveryRow): DeadLetter {
  return {
    id: row.delivery,
    provider: row.provider,
    deliveryId: row.delivery_id,
    event: row.event,
    status: row.status,
    outcome: row.outcome,
    tries: row.tries,
    error: row.last_error,
    receivedAt: new Date(row.received_at_ms).toISOString(),
    endedAt: row.ended_at_ms === null ? null : new Date(row.ended_at_ms).toISOString(),
    nextTryAt: row.status === 'pending' ? new Date(row.next_try_at_ms).toISOString() : null,
    requestId: row.request_id,
  };
}
