import { z } from 'zod';

const WebhookUrl = z
  .string()
  .max(2_048)
  .refine((text) => text.startsWith('$SECRET:') || isHttp(text), 'must be an http(s) address');

const Channel = z.strictObject({
  type: z.literal('chat').describe('Kind of channel.'),
  name: z.string().min(1).max(100).describe('Name of the channel.'),
  webhookUrl: WebhookUrl.describe('Address that takes messages, usually $SECRET:NAME.'),
  verbosity: z
    .enum(['off', 'critical', 'verbose'])
    .default('critical')
    .describe('critical: retries and failures only; verbose: everything.'),
  types: z.array(z.string().max(100)).max(50).optional().describe('Narrows a verbose channel.'),
});

/** `notifications.*`: where people are told. */
export const NotificationsSection = z.strictObject({
  channels: z.array(Channel).max(50).default([]).describe('Chat channels.'),
  slack: z
    .strictObject({
      webhookUrl: WebhookUrl.optional(),
      name: z.string().max(100).optional(),
      verbosity: z.enum(['off', 'critical', 'verbose']).optional(),
    })
    .optional()
    .describe('Older shape; becomes an entry of channels.'),
});

function isHttp(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
