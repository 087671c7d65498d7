import { z } from 'zod';
import { IssueIdentifier } from '../../ids.ts';
import { namedObject } from '../../named-object.ts';

const DeliveryProvider = z.enum(['tracker', 'codehost', 'trigger']);

/** Why a delivery was not accepted. A closed list, since it is the label of a metric. */
export const RefusalReason = z
  .enum([
    'wrong_content_type',
    'wrong_signature',
    'malformed',
    'too_large',
    'unconfigured',
    'unknown_receiver',
    'unknown_host',
    'foreign_page',
    'rate_limited',
    'too_slow',
    'busy',
    'failed',
  ])
  .meta({ id: 'DeliveryRefusalReason' });
export type RefusalReason = z.infer<typeof RefusalReason>;

const DeliveryRefusal = namedObject('DeliveryRefusal', {
  provider: DeliveryProvider.nullable().describe('Null: no receiver has that address.'),
  reason: RefusalReason,
  lastAt: z.iso.datetime().describe('When one was refused for this reason; at most 10 s before.'),
  message: z.string().describe('What is the matter and what a person does about it.'),
});
export type DeliveryRefusal = z.infer<typeof DeliveryRefusal>;

export const DeliveryAnswer = namedObject('DeliveryAnswer', {
  duplicate: z.boolean().describe('True when this delivery was received before.'),
});

export const DeadLetter = namedObject('DeadLetter', {
  id: z.int(),
  provider: DeliveryProvider,
  deliveryId: z.string().describe('The id that its sender gave it.'),
  event: z.string(),
  status: z.enum(['pending', 'processed', 'dead']),
  outcome: z.string().nullable(),
  tries: z.int(),
  error: z.string().nullable(),
  receivedAt: z.iso.datetime(),
  endedAt: z.iso.datetime().nullable(),
  nextTryAt: z.iso.datetime().nullable(),
  requestId: z.string().nullable(),
});
export type DeadLetter = z.infer<typeof DeadLetter>;

export const DeadLetterDetail = DeadLetter.extend({
  payload: z.unknown().describe('The body as it came.'),
}).meta({ id: 'DeadLetterDetail' });

export const DeadLetterPage = namedObject('DeadLetterPage', {
  deliveries: z.array(DeadLetter),
  total: z.int(),
  nextCursor: z.string().nullable(),
});

export const WebhookHealth = namedObject('WebhookHealth', {
  providers: z.array(
    z.object({
      provider: DeliveryProvider,
      configured: z.boolean().describe('Whether a secret is set.'),
      healthy: z.boolean().describe('Whether deliveries arrive and are processed.'),
      lastDeliveryAt: z.iso.datetime().nullable(),
      lastDeliveryAgeSeconds: z.number().nullable(),
      backlog: z.int(),
      dead: z.int(),
      subscription: z.enum(['ok', 'missing', 'failed']).nullable(),
      subscriptionCheckedAt: z.iso.datetime().nullable(),
    }),
  ),
  refusals: z
    .array(DeliveryRefusal)
    .describe('Of the last seven days, newest first. Anybody can cause them: no outage by itself.'),
  polling: z.object({ intervalMs: z.int(), stretched: z.boolean() }),
});
export type WebhookHealth = z.infer<typeof WebhookHealth>;

/** The request body with which another system triggers work. */
export const TriggerRequest = z
  .discriminatedUnion('action', [
    z.strictObject({
      action: z.literal('create_issue'),
      title: z.string().trim().min(1).max(500),
      description: z.string().max(100_000).optional(),
      labels: z.array(z.string().trim().min(1).max(200)).max(50).optional(),
      priority: z.int().min(0).max(4).optional(),
    }),
    z.strictObject({ action: z.literal('re_poll') }),
    z.strictObject({ action: z.literal('refresh_issue'), identifier: IssueIdentifier }),
    z.strictObject({
      action: z.literal('run_automation'),
      automation_name: z.string().min(1).max(100),
    }),
  ])
  .meta({ id: 'TriggerRequest' });
export type TriggerRequest = z.infer<typeof TriggerRequest>;

export const TriggerAnswer = namedObject('TriggerAnswer', {
  ok: z.literal(true),
  action: z.string(),
  deliveryId: z.string().describe('The Idempotency-Key, or an id made up for this request.'),
  acceptedAt: z.iso.datetime(),
  duplicate: z.boolean(),
});
export type TriggerAnswer = z.infer<typeof TriggerAnswer>;
