import type { Notification } from '@switchyard/shared/api/notification';
import { PostFailed } from '../../integrations/chat/post-json.ts';
import { type ResolveSecret, secretValue } from '../../config/resolve-secret.ts';
import type { NotificationChannel } from '../../config/sections/notifications.ts';
import type { Redactor } from '../../ports/redactor.ts';
import type { Clock } from '../../ports/ports.ts';
import { chatMessage } from './chat-message.ts';
import { sendWebhook } from './send-webhook.ts';
import { chatInUse } from '../../integrations/connect-integrations.ts';

/** Time that one delivery may take. */
const SEND_TIMEOUT_MS = 10_000;

export type SendDeps = {
  clock: Clock;
  resolveSecret: ResolveSecret;
  service: { publicOrigin: string | null };
  redactor: Pick<Redactor, 'value'>;
};

/** Sends one notification over one channel. Throws `PostFailed`, whose message is safe to show. */
export async function sendToChannel(
  deps: SendDeps,
  channel: NotificationChannel,
  given: Notification,
): Promise<void> {
  const notification = deps.redactor.value(given);
  const url = await secret(deps, channel.webhookUrl, 'its webhookUrl');
  if (channel.type === 'chat') {
    const message = chatMessage(notification, deps.service.publicOrigin);
    return chatInUse.send(url, message, SEND_TIMEOUT_MS);
  }
  await sendWebhook({
    url,
    secret: await secret(deps, channel.secret, 'its secret'),
    notification,
    nowMs: deps.clock.nowMs(),
    timeoutMs: SEND_TIMEOUT_MS,
  });
}

async function secret(deps: SendDeps, value: string | undefined, what: string): Promise<string> {
  const found = await secretValue(value, deps.resolveSecret);
  if (found === null) throw new PostFailed(`${what} names a secret that is not stored`);
  return found;
}
