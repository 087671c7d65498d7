import { z } from 'zod';
import { whole } from '../../bounds/whole.ts';
import { secretText } from '../../bounds/text.ts';

const IntervalMs = whole(100, 86_400_000);
const SecretText = secretText();

/** `webhook.*`: inbound webhooks, and how they lengthen the polling interval. */
export const WebhookSection = z.strictObject({
  webhookUrl: z
    .url({ protocol: /^https$/, error: 'must be an https:// address' })
    .max(2_048)
    .optional()
    .describe('Public address of the receiver, https only.'),
  webhookSecret: SecretText.optional().describe('Verifies deliveries; usually $SECRET:NAME.'),
  codehostSecret: SecretText.optional().describe(
    "Verifies the code host's deliveries; left out: webhookSecret.",
  ),
  pollingBaseMs: IntervalMs.default(15_000).describe('Normal polling interval.'),
  pollingStretchMs: IntervalMs.default(120_000).describe('Interval while deliveries are healthy.'),
  healthCheckIntervalMs: IntervalMs.default(300_000).describe('Interval of subscription checks.'),
});
