import type { NotificationChannelHealth } from '@switchyard/shared/api/notification';
import type { NotificationChannel } from '../../config/sections/notifications.ts';
import type { Deps } from '../../deps.ts';
import { type ChannelState, channelStates } from '../../notifications/queries.ts';

/** The configured channels with their delivery state. */
export async function listChannels(
  deps: Pick<Deps, 'db' | 'config'>,
): Promise<NotificationChannelHealth[]> {
  const { channels } = (await deps.config.load()).notifications;
  const stateOf = await channelStates(deps.db);
  return channels.map((channel) => health(channel, stateOf(channel.name)));
}

function health(
  channel: NotificationChannel,
  { row, pending, dead }: ChannelState,
): NotificationChannelHealth {
  const failures = row?.failures_in_a_row ?? 0;
  const used = row !== undefined && (row.delivered > 0 || row.last_error_at_ms !== null);
  return {
    name: channel.name,
    type: channel.type,
    verbosity: channel.verbosity,
    types: channel.types ?? null,
    status: failures > 0 ? 'failing' : used ? 'ok' : 'unused',
    delivered: row?.delivered ?? 0,
    pending,
    dead,
    failuresInARow: failures,
    lastSuccessAt: iso(row?.last_success_at_ms),
    lastErrorAt: iso(row?.last_error_at_ms),
    lastError: row?.last_error ?? null,
  };
}

function iso(atMs: number | null | undefined): string | null {
  return atMs === null || atMs === undefined ? null : new Date(atMs).toISOString();
}
