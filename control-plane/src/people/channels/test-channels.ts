import { auditStatement } from '../../observe/audit/audit-statement.ts';
import type { Caller } from '../../http/caller/caller.ts';
import { PostFailed } from '../../integrations/chat/post-json.ts';
import type { NotificationChannel } from '../../config/sections/notifications.ts';
import type { Bound, Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import type { sendToChannel } from './send-to-channel.ts';

export type TestDeps = Pick<Deps, 'db' | 'clock' | 'config' | 'ids'> & {
  sendToChannel: Bound<typeof sendToChannel>;
};

/**
 * Sends a test message over every chat channel that is not off, or over the named one. 503 when
 * there is none, 404 for an unknown name, 502 with the receiver's message when one fails.
 */
export async function testChannels(
  deps: TestDeps,
  input: { channel: string | undefined; caller: Caller },
): Promise<{ ok: boolean; channels: string[] }> {
  const { channels } = (await deps.config.load()).notifications;
  const chosen = choose(channels, input.channel);
  const nowMs = deps.clock.nowMs();
  await deps.db.batch([
    auditStatement(deps.db, nowMs, input.caller, {
      operation: 'notification.test',
      details: { channels: chosen.map((channel) => channel.name) },
    }),
  ]);
  const tried = await Promise.all(chosen.map((channel) => trial(deps, channel, nowMs)));
  const failures = tried.filter((message) => message !== null);
  if (failures.length > 0) throw new AppError('upstream_failed', failures.join('; '));
  return { ok: true, channels: chosen.map((channel) => channel.name) };
}

function choose(
  channels: readonly NotificationChannel[],
  name: string | undefined,
): NotificationChannel[] {
  if (name !== undefined) {
    const found = channels.find((channel) => channel.name === name);
    if (found === undefined) throw new AppError('not_found', `channel ${name} not found`);
    return [found];
  }
  const chats = channels.filter(({ type, verbosity }) => type === 'chat' && verbosity !== 'off');
  if (chats.length > 0) return chats;
  throw new AppError(
    'unavailable',
    'no chat channel is configured: add one under notifications.channels',
    { reason: 'not_configured' },
  );
}

/** Sends a test and returns what failed, for people; null when it arrived. */
async function trial(
  deps: Pick<TestDeps, 'ids' | 'sendToChannel'>,
  channel: NotificationChannel,
  nowMs: number,
): Promise<string | null> {
  try {
    await deps.sendToChannel(channel, {
      id: deps.ids.next('ntf'),
      type: 'worker_completed',
      severity: 'info',
      timestamp: new Date(nowMs).toISOString(),
      message: 'This is a test message: the channel works.',
      issue: null,
      attempt: null,
      metadata: { test: true },
      read: false,
      readAt: null,
    });
    return null;
  } catch (error) {
    if (!(error instanceof PostFailed)) throw error;
    return `channel ${channel.name}: ${error.message}`;
  }
}
