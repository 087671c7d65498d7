import type { TriggerAnswer, TriggerRequest } from '@switchyard/shared/api/admin/webhook';
import { auditStatement } from '../../observe/audit/audit-statement.ts';
import type { Caller } from '../../http/caller/caller.ts';
import { secretValue } from '../../config/resolve-secret.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { equalInConstantTime } from '../../http/caller/equal-in-constant-time.ts';
import { requireIssue } from '../../issues/queries.ts';
import { deliveryById } from '../queries.ts';
import { storeDelivery } from '../receive/store-delivery.ts';

type TriggerDeps = Pick<Deps, 'db' | 'clock' | 'wake' | 'config' | 'runAutomation'>;
/** A request, and the key under which its answer is the same each time. */
type AskedTrigger = { request: TriggerRequest; idempotencyKey: string | null };

/** Throws 503 while triggers have no key, 401 for a key that is missing or wrong. */
export async function requireTriggerKey(
  deps: Pick<Deps, 'config' | 'resolveSecret'>,
  given: string | null,
): Promise<void> {
  const { triggers } = await deps.config.load();
  const key = await secretValue(triggers.apiKey, deps.resolveSecret);
  if (key === null) {
    throw new AppError('unavailable', 'triggers are off until triggers.apiKey is set', {
      reason: 'not_configured',
    });
  }
  if (given === null || !(await equalInConstantTime(given, key))) {
    throw new AppError('unauthorized', 'X-Service-Trigger-Key is missing or wrong', {
      headers: { 'WWW-Authenticate': 'Service-Trigger-Key' },
    });
  }
}

/**
 * Stores the request of an external system, which is performed soon after. The same key returns the
 * same answer. Throws `not_found` for an unknown target, `conflict` for a key that was used for
 * another request.
 */
export async function acceptTrigger(
  deps: TriggerDeps,
  caller: Caller,
  input: AskedTrigger,
): Promise<TriggerAnswer> {
  const { request } = input;
  const deliveryId = input.idempotencyKey ?? crypto.randomUUID();
  const body = JSON.stringify(request);
  const repeated = input.idempotencyKey === null ? null : await repeatOf(deps, deliveryId, body);
  if (repeated !== null) return repeated;
  await requireSubject(deps, request);
  const nowMs = deps.clock.nowMs();
  const audited = auditStatement(deps.db, nowMs, caller, {
    operation: `trigger.${request.action}`,
    ...subjectOf(request),
    details: { deliveryId },
  });
  const { requestId } = caller;
  const event = request.action;
  const delivery = { provider: 'trigger' as const, deliveryId, event, body, requestId };
  const isNew = await storeDelivery(deps, delivery, [audited]);
  const answer = isNew ? null : await repeatOf(deps, deliveryId, body);
  return (
    answer ??
    accepted({ action: request.action, deliveryId, acceptedAtMs: nowMs, duplicate: false })
  );
}

async function repeatOf(
  { db }: TriggerDeps,
  deliveryId: string,
  body: string,
): Promise<TriggerAnswer | null> {
  const row = await deliveryById(db, 'trigger', deliveryId);
  if (row === null) return null;
  if (row.body !== body) {
    throw new AppError('conflict', 'this Idempotency-Key came with another request before', {
      reason: 'idempotency_key_reused',
    });
  }
  const { event: action, received_at_ms: acceptedAtMs } = row;
  return accepted({ action, deliveryId, acceptedAtMs, duplicate: true });
}

async function requireSubject(deps: TriggerDeps, request: TriggerRequest): Promise<void> {
  if (request.action === 'refresh_issue') {
    await requireIssue(deps.db, request.identifier);
  }
  if (request.action === 'run_automation') {
    const { automations } = await deps.config.load();
    const isKnown = automations.some((each) => each.name === request.automation_name);
    if (!isKnown) {
      const name = JSON.stringify(request.automation_name);
      throw new AppError('not_found', `automation ${name} not found`);
    }
    if (deps.runAutomation === undefined) {
      throw new AppError('unavailable', 'automations cannot run here', {
        reason: 'not_configured',
      });
    }
  }
}

function subjectOf(request: TriggerRequest): { subject?: string } {
  if (request.action === 'refresh_issue') return { subject: request.identifier };
  return request.action === 'run_automation' ? { subject: request.automation_name } : {};
}

function accepted(found: {
  action: string;
  deliveryId: string;
  acceptedAtMs: number;
  duplicate: boolean;
}): TriggerAnswer {
  const { action, deliveryId, acceptedAtMs, duplicate } = found;
  const acceptedAt = new Date(acceptedAtMs).toISOString();
  return { ok: true, action, deliveryId, acceptedAt, duplicate };
}
