import { toHex } from '@switchyard/shared/text/to-hex';
import type { TrackerWebhook } from '@switchyard/shared/api/admin/tracker-connection';
import { secretReference } from '@switchyard/shared/settings/secret-reference';
import type { Caller } from '../../../http/caller/caller.ts';
import { secretValue } from '../../../config/resolve-secret.ts';
import { AppError } from '../../../errors.ts';
import { callTracker } from '../../../issues/call-tracker.ts';
import { createLinearClient } from '../../../integrations/linear/api/linear-client.ts';
import { ensureLinearWebhook } from '../../../integrations/linear/webhook/linear-webhook.ts';
import type { SetupDeps } from '../setup-deps.ts';
import { linearSettingsOf } from '../../../integrations/linear/linear-settings-of.ts';
import { storeSettings } from '../store-settings.ts';
import { TRACKER_WEBHOOK_SECRET } from './tracker-secrets.ts';

/**
 * Creates the webhook in Linear, signed with the configured secret or a new one. Idempotent. Throws
 * a 422 when no public address is known, a 502 when Linear refuses.
 */
export async function createTrackerWebhook(
  deps: SetupDeps,
  input: { caller: Caller; url: string | undefined },
): Promise<TrackerWebhook> {
  const { caller } = input;
  const config = await deps.config.load();
  const url = input.url ?? config.webhook.webhookUrl;
  if (url === undefined) {
    throw new AppError('unprocessable', 'set webhook.webhookUrl or give a url', {
      reason: 'no_public_address',
    });
  }
  const { webhookSecret } = config.webhook;
  const present = await secretValue(webhookSecret, deps.resolveSecret);
  const secret = present ?? newSecret();
  const reference = secretReference(TRACKER_WEBHOOK_SECRET);
  // Stored first, since a webhook may arrive at once and needs its secret.
  await storeSettings(deps, {
    caller,
    operation: 'tracker.webhook',
    subject: 'webhook.webhookUrl',
    secrets: present === null ? [{ key: TRACKER_WEBHOOK_SECRET, value: secret }] : [],
    settings: {
      'webhook.webhookUrl': url,
      ...(present === null ? { 'webhook.webhookSecret': reference } : {}),
    },
  });
  const settings = linearSettingsOf(() => config, deps.resolveSecret);
  const ask = createLinearClient({ clock: deps.clock, settings });
  const id = await callTracker(() => ensureLinearWebhook(ask, { url, secret }));
  return { id, url };
}

function newSecret(): string {
  return toHex(crypto.getRandomValues(new Uint8Array(32)));
}
