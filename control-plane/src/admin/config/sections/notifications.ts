import { z } from 'zod';
import { NotificationType } from '@switchyard/shared/api/notification';

const WebhookUrl = z
  .string()
  .max(2_048)
  .refine((text) => text.startsWith('$SECRET:') || isHttp(text), 'must be an http(s) address');

const Verbosity = z.enum(['off', 'critical', 'verbose']);

const Channel = z
  .strictObject({
    type: z.enum(['chat', 'webhook']).describe('chat: messages; webhook: signed JSON.'),
    name: z.string().trim().min(1).max(100).describe('Name of the channel; no two are the same.'),
    webhookUrl: WebhookUrl.describe('Address that takes deliveries, usually $SECRET:NAME.'),
    secret: z
      .string()
      .min(1)
      .max(8_192)
      .optional()
      .describe('Signs the deliveries of a webhook channel, usually $SECRET:NAME.'),
    verbosity: Verbosity.default('critical').describe(
      'critical: retries and failures only; verbose: everything.',
    ),
    types: z
      .array(NotificationType)
      .max(50)
      .optional()
      .describe('Narrows a verbose channel to these types.'),
  })
  .superRefine((channel, context) => {
    if (channel.type !== 'webhook' || channel.secret !== undefined) return;
    context.addIssue({ code: 'custom', path: ['secret'], message: 'a webhook channel needs one' });
  });

/** `notifications.*`: where people are told. */
export const NotificationsSection = z.strictObject({
  channels: z
    .array(Channel)
    .max(50)
    .superRefine((channels, context) => {
      const names = channels.map((channel) => channel.name);
      for (const [index, name] of names.entries()) {
        if (names.indexOf(name) === index) continue;
        const message = `a channel is named ${name} already`;
        context.addIssue({ code: 'custom', path: [index, 'name'], message });
      }
    })
    .default([])
    .describe('Where notifications are sent.'),
  slack: z
    .strictObject({
      webhookUrl: WebhookUrl.optional(),
      name: z.string().max(100).optional(),
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
