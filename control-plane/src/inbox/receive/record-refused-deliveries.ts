import type { RefusalReason } from '@switchyard/shared/api/admin/webhook';
import type { MiddlewareHandler } from 'hono';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import type { HttpEnv } from '../../http/bindings.ts';
import { isWebhookPath } from '../../http/is-api-path.ts';
import { isWithin } from '../../is-within.ts';
import { recordRefusal, type Receiver } from './refusals.ts';

/**
 * Shortest interval between two records of one kind of refusal, since strangers can send without
 * limit.
 */
const NOTED_EVERY_MS = 10_000;
const TRIGGER_PATH = '/api/v1/webhooks/trigger';
const RECEIVERS: Record<string, Receiver> = {
  '/webhooks/tracker': 'tracker',
  '/webhooks/codehost': 'codehost',
  [TRIGGER_PATH]: 'trigger',
};

const BY_STATUS: Record<number, RefusalReason> = {
  400: 'malformed',
  401: 'wrong_signature',
  403: 'foreign_page',
  404: 'unknown_receiver',
  408: 'too_slow',
  413: 'too_large',
  415: 'wrong_content_type',
  429: 'rate_limited',
  503: 'busy',
};
/** Refusals that share a status are distinguished by their reason. */
const BY_REASON: Record<string, RefusalReason> = {
  not_configured: 'unconfigured',
  unknown_host: 'unknown_host',
};

/**
 * Counts every refused delivery, wherever it is refused, and records the time, so that people can
 * see it. Strangers can cause only a few rows, each written once in ten seconds, and no log line.
 */
export function recordRefusedDeliveries({
  db,
  clock,
  metrics,
  background,
  service,
}: Pick<Deps, 'db' | 'clock' | 'metrics' | 'background' | 'service'>): MiddlewareHandler<HttpEnv> {
  const notedAtMs = new Map<string, number>();
  return async function recordRefusedDeliveries(c, next) {
    await next();
    const { path, method } = c.req;
    if (method !== 'POST' || c.res.status < 400) return;
    if (!isWebhookPath(path) && path !== TRIGGER_PATH) return;
    const receiver = RECEIVERS[path] ?? null;
    const reason = reasonOf(c.res.status, c.error);
    // A trigger for an unknown target was authenticated and answered, so it counts as no refusal.
    if (receiver === 'trigger' && (reason === 'unknown_receiver' || reason === null)) return;
    const status = reason ?? 'failed';
    metrics.inc('service_webhook_deliveries_total', { provider: receiver ?? 'unknown', status });
    if (service.role === 'standby') return;
    const nowMs = clock.nowMs();
    const key = `${receiver} ${status}`;
    const lastMs = notedAtMs.get(key);
    if (lastMs !== undefined && isWithin(nowMs, lastMs, NOTED_EVERY_MS)) return;
    notedAtMs.set(key, nowMs);
    background.run('note a refused delivery', async () => {
      await db.batch([recordRefusal(db, nowMs, receiver, status)]);
    });
  };
}

/** Why a request was refused, by its status; null for a status that is no refusal. */
function reasonOf(status: number, error: Error | undefined): RefusalReason | null {
  const finer = error instanceof AppError ? error.reason : undefined;
  return BY_REASON[finer ?? ''] ?? BY_STATUS[status] ?? (status >= 500 ? 'failed' : null);
}
