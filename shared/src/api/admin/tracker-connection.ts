import { z } from 'zod';

const Secret = z.string().min(1).max(8_192);

export const TrackerKeyRequest = z
  .strictObject({ apiKey: Secret.describe('A personal key of the tracker.') })
  .meta({ id: 'TrackerKeyRequest' });

/** With whose rights the service works in the tracker. */
export const TrackerConnection = z
  .object({ kind: z.string(), organization: z.string(), user: z.string() })
  .meta({ id: 'TrackerConnection' });
export type TrackerConnection = z.infer<typeof TrackerConnection>;

export const TrackerSignInRequest = z
  .strictObject({
    clientId: z.string().min(1).max(500).describe('Of the OAuth application.'),
    clientSecret: Secret.optional().describe('Where the application has one.'),
    redirectUri: z.url().max(2_048).describe('Where the browser comes back with code and state.'),
  })
  .meta({ id: 'TrackerSignInRequest' });
export type TrackerSignInRequest = z.infer<typeof TrackerSignInRequest>;

export const TrackerSignIn = z
  .object({ authorizeUrl: z.string(), expiresAt: z.string() })
  .meta({ id: 'TrackerSignIn' });
export type TrackerSignIn = z.infer<typeof TrackerSignIn>;

export const TrackerSignInAnswer = z
  .strictObject({ code: z.string().min(1).max(4_096), state: z.string().min(1).max(500) })
  .meta({ id: 'TrackerSignInAnswer' });
export type TrackerSignInAnswer = z.infer<typeof TrackerSignInAnswer>;

export const TrackerWebhookRequest = z
  .strictObject({
    url: z
      .url({ protocol: /^https$/, error: 'must be an https:// address' })
      .max(2_048)
      .optional()
      .describe('Public address of `/webhooks/tracker`; left out: `webhook.webhookUrl`.'),
  })
  .meta({ id: 'TrackerWebhookRequest' });

export const TrackerWebhook = z
  .object({ id: z.string(), url: z.string() })
  .meta({ id: 'TrackerWebhook' });
export type TrackerWebhook = z.infer<typeof TrackerWebhook>;
