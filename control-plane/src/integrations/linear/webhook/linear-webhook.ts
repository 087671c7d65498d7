import { z } from 'zod';
import { CREATE_WEBHOOK, UPDATE_WEBHOOK, WEBHOOKS } from '../api/documents.ts';
import type { LinearClient } from '../api/linear-client.ts';
import { readableRows } from '../api/readable-rows.ts';
import { Ref } from '../api/rows.ts';

const RESOURCES = ['Issue', 'Comment'];
const MAX_PAGES = 20;

/**
 * A webhook whose `enabled` is unreadable counts as disabled, so that it is updated instead of
 * duplicated.
 */
const Webhook = Ref.extend({
  url: z.string().nullish().catch(null),
  enabled: z.boolean().catch(false),
});
type Webhook = z.infer<typeof Webhook>;
type WebhookPage = z.infer<(typeof WEBHOOKS)['data']>;

/**
 * Makes Linear send webhooks to `url`, signed with `secret`: updates the webhook of that url or
 * creates one. Needs an administrator's key. Returns its id.
 */
export async function ensureLinearWebhook(
  ask: LinearClient,
  input: { url: string; secret: string },
): Promise<string> {
  const settings = { url: input.url, secret: input.secret, resourceTypes: RESOURCES };
  const there = await findWebhook(ask, input.url);
  if (there !== null) {
    await ask(UPDATE_WEBHOOK, { id: there.id, input: { ...settings, enabled: true } });
    return there.id;
  }
  const created = await ask(CREATE_WEBHOOK, {
    input: { ...settings, label: 'Switchyard', allPublicTeams: true, enabled: true },
  });
  return created.webhookCreate.webhook.id;
}

/** Whether Linear still sends webhooks to `url`. */
export async function checkLinearWebhook(
  ask: LinearClient,
  url: string,
): Promise<'ok' | 'missing'> {
  const found = await findWebhook(ask, url);
  return found?.enabled === true ? 'ok' : 'missing';
}

async function findWebhook(ask: LinearClient, url: string): Promise<Webhook | null> {
  let after: string | null = null;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { webhooks }: WebhookPage = await ask(WEBHOOKS, { after });
    // Unreadable webhooks of others do not matter here.
    const found = readableRows(Webhook, webhooks.nodes, () => {}).find((one) => one.url === url);
    if (found !== undefined) return found;
    after = webhooks.pageInfo.endCursor ?? null;
    if (!webhooks.pageInfo.hasNextPage || after === null) return null;
  }
  return null;
}
