import { z } from 'zod';
import { NotificationType } from '@switchyard/shared/api/notification';
import { isMeantAsReference } from '@switchyard/shared/settings/secret-reference';
import { listOf, secretText, text } from '../bounds/text.ts';
import { uniqueNames } from '../bounds/unique-names.ts';

const WebhookUrl = text(2_048).refine(
  (text) => isMeantAsReference(text) || isHttp(text),
  'must be an http(s) address',
);

const Verbosity = z.enum(['off', 'critical', 'verbose']);

const Channel = z
  .strictObject({
    type: z.enum(['chat', 'webhook']).describe('chat: messages; webhook: signed JSON.'),
    name: z.string().trim().min(1).max(100).describe('Name of the channel; no two are the same.'),
    webhookUrl: WebhookUrl.describe('Address that takes deliveries, usually $SECRET:NAME.'),
    secret: secretText()
      .min(1)
      .optional()
      .describe('Signs the deliveries of a webhook channel, usually $SECRET:NAME.'),
    verbosity: Verbosity.default('critical').describe(
      'critical: retries and failures only; verbose: everything.',
    ),
    types: listOf(NotificationType, 50)
      .optional()
      .describe('Narrows a verbose channel to these types.'),
  })
  .superRefine((channel, context) => {
    if (channel.type !== 'webhook' || channel.secret !== undefined) return;
    context.addIssue({ code: 'custom', path: ['secret'], message: 'a webhook channel needs one' });
  });

/** `notifications.*`: where notifications are sent. */
export const NotificationsSection = z.strictObject({
  channels: listOf(Channel, 50)
    .superRefine(uniqueNames('a channel'))
    .default([])
    .describe('Where notifications are sent.'),
  slack: z
    .strictObject({
      webhookUrl: WebhookUrl.optional(),
      name: text(100).optional(),
      verbosity: Verbosity.optional(),
    })
    .optional()
    .describe('Older shape; becomes an entry of channels.'),
});

/** One configured channel. */
export type NotificationChannel = z.output<typeof Channel>;

function isHttp(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
