import { messageOf } from '@switchyard/shared/message-of';
import type { Statement } from '../db/database.ts';
import type { Deps } from '../deps.ts';
import { noteSubscription, type SubscriptionStatus } from './queries.ts';

const CHECK_TIMEOUT_MS = 10_000;

/**
 * Checks with each provider that supports it whether its webhook subscription still exists, and
 * returns statements that store the results. A check that throws or times out counts as `failed`.
 */
export async function checkSubscriptions(
  deps: Pick<Deps, 'db' | 'clock' | 'logger' | 'metrics' | 'deliveryHandlers'>,
): Promise<Statement[]> {
  const statements: Statement[] = [];
  for (const [provider, handler] of deps.deliveryHandlers ?? []) {
    const check = handler.checkSubscription?.(AbortSignal.timeout(CHECK_TIMEOUT_MS));
    if (check === undefined) continue;
    const status = await check.catch((error: unknown): SubscriptionStatus | null => {
      deps.logger.warn('the check of a webhook subscription failed', {
        provider,
        error: messageOf(error),
      });
      return 'failed';
    });
    if (status === null) continue;
    deps.metrics.inc('service_webhook_subscription_checks_total', { provider, status });
    statements.push(noteSubscription(deps.db, deps.clock.nowMs(), provider, status));
  }
  return statements;
}
