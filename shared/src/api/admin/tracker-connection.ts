import { z } from 'zod';
import { namedObject, strictNamedObject } from '../../named-object.ts';

const Secret = z.string().min(1).max(8_192);

export const TrackerKeyRequest = strictNamedObject('TrackerKeyRequest', {
  apiKey: Secret.describe('A personal key of the tracker.'),
});

/** The identity and rights under which the service works in the tracker. */
export const TrackerConnection = namedObject('TrackerConnection', {
  kind: z.string(),
  organization: z.string(),
  user: z.string(),
});
export type TrackerConnection = z.infer<typeof TrackerConnection>;

export const TrackerSignInRequest = strictNamedObject('TrackerSignInRequest', {
  clientId: z.string().min(1).max(500).describe('Of the OAuth application.'),
  clientSecret: Secret.optional().describe('Where the application has one.'),
  redirectUri: z.url().max(2_048).describe('Where the browser comes back with code and state.'),
});
export type TrackerSignInRequest = z.infer<typeof TrackerSignInRequest>;

export const TrackerSignIn = namedObject('TrackerSignIn', {
  authorizeUrl: z.string(),
  expiresAt: z.string(),
});
export type TrackerSignIn = z.infer<typeof TrackerSignIn>;

export const TrackerSignInAnswer = strictNamedObject('TrackerSignInAnswer', {
  code: z.string().min(1).max(4_096),
  state: z.string().min(1).max(500),
});
export type TrackerSignInAnswer = z.infer<typeof TrackerSignInAnswer>;

export const TrackerWebhookRequest = strictNamedObject('TrackerWebhookRequest', {
  url: z
    .url({ protocol: /^https$/, error: 'must be an https:// address' })
    .max(2_048)
    .optional()
    .describe('Public address of `/webhooks/tracker`; left out: `webhook.webhookUrl`.'),
});

export const TrackerWebhook = namedObject('TrackerWebhook', { id: z.string(), url: z.string() });
export type TrackerWebhook = z.infer<typeof TrackerWebhook>;
