import { setTimeout as delay } from 'node:timers/promises';
import { StreamEvent } from '@switchyard/shared/api/attempt';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { CommandError } from '../client/command-error.ts';
import { EXIT } from '../client/exit-codes.ts';
import type { ServiceClient } from '../client/service-client.ts';

const RECONNECT_BASE_MS = 500;
const RECONNECT_MAX_MS = 10_000;
/** A service that stays away longer than about this ends the command. */
const MAX_RECONNECTS = 30;

export type FollowOptions = {
  issue: string;
  afterSeq: number;
  signal: AbortSignal;
  onEvent(event: StreamEvent): void;
  /** Something is in the way that a person should know of while it is tried again. */
  onTrouble(message: string): void;
  /** Whether this event says that nothing more is to come. */
  isLast(event: StreamEvent): boolean;
};

/**
 * Follows an issue's events without a gap: after a lost connection it goes on from the last `seq`.
 * Throws when the service stays away.
 */
export async function followEvents(
  client: ServiceClient,
  options: FollowOptions,
): Promise<'ended' | 'stopped'> {
  const position = { lastSeq: options.afterSeq };
  for (let failures = 0; ;) {
    try {
      const before = position.lastSeq;
      if (await readStream(client, options, position)) return 'ended';
      failures = position.lastSeq > before ? 0 : failures + 1;
    } catch (error) {
      if (options.signal.aborted) return 'stopped';
      failures += 1;
      if (failures > MAX_RECONNECTS) throw error;
      const why = error instanceof Error ? error.message : String(error);
      options.onTrouble(`${why}; trying again`);
    }
    if (options.signal.aborted) return 'stopped';
    await delay(Math.min(RECONNECT_BASE_MS * 2 ** failures, RECONNECT_MAX_MS), null, {
      signal: options.signal,
    }).catch(() => null);
  }
}

/** Reads until the connection ends (false) or the last event has come (true). */
async function readStream(
  client: ServiceClient,
  options: FollowOptions,
  position: { lastSeq: number },
): Promise<boolean> {
  const query = new URLSearchParams({ issue: options.issue, after: String(position.lastSeq) });
  const response = await client.fetch(`/api/v1/events?${query}`, {
    method: 'GET',
    signal: options.signal,
  });
  if (!response.ok || response.body === null) {
    throw new CommandError(`the event stream answered ${response.status}`, EXIT.failed);
  }
  const frames = response.body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream());
  for await (const frame of frames) {
    const event = StreamEvent.parse(JSON.parse(frame.data));
    position.lastSeq = Math.max(position.lastSeq, event.seq);
    options.onEvent(event);
    if (options.isLast(event)) return true;
  }
  return false;
}
