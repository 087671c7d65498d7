import { setTimeout as delay } from 'node:timers/promises';
import { StreamEvent } from '@switchyard/shared/api/work/attempt';
import { messageOf } from '@switchyard/shared/message-of';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { retryAfterMs } from '@switchyard/shared/network/retry-after-ms';
import { answerMessage } from '@switchyard/shared/network/answer-message';
import { CommandError } from './command-error.ts';
import { EXIT } from './exit.ts';
import { MAX_RETRY_AFTER_MS, type ServiceClient } from './service-client.ts';

const RECONNECT_BASE_MS = 500;
const RECONNECT_MAX_MS = 10_000;
/** Number of reconnections after which the command ends because the service stays unreachable. */
const MAX_RECONNECTS = 30;

export type FollowOptions = {
  /** Only events of this issue; left out: events of all issues. */
  issue?: string;
  /** Only events of these types; left out: events of all types. */
  types?: readonly string[];
  afterSeq: number;
  signal: AbortSignal;
  onEvent(event: StreamEvent): void;
  /** Reports a problem that a person should know about while the connection is retried. */
  onTrouble(message: string): void;
  /** Whether no event follows this one. */
  isLast(event: StreamEvent): boolean;
};

/**
 * Follows events without gaps: after a lost connection it continues from the last `seq`, at the
 * earliest when a refusal's `Retry-After` has passed. Throws when the service stays unreachable.
 */
export async function followEvents(
  client: ServiceClient,
  options: FollowOptions,
): Promise<'ended' | 'stopped'> {
  const position = { lastSeq: options.afterSeq };
  let waitMs = 0;
  for (let failures = 0; ;) {
    try {
      const before = position.lastSeq;
      if (await readStream(client, options, position)) return 'ended';
      failures = position.lastSeq !== before ? 0 : failures + 1;
      waitMs = 0;
    } catch (error) {
      if (options.signal.aborted) return 'stopped';
      failures += 1;
      if (failures > MAX_RECONNECTS) throw error;
      waitMs = error instanceof StreamRefused ? error.retryAfterMs : 0;
      const why = messageOf(error);
      options.onTrouble(`${why}; trying again`);
    }
    if (options.signal.aborted) return 'stopped';
    const backoffMs = Math.min(RECONNECT_BASE_MS * 2 ** failures, RECONNECT_MAX_MS);
    await delay(Math.max(backoffMs, waitMs), null, { signal: options.signal }).catch(() => null);
  }
}

/** The service's response is not an event stream. */
class StreamRefused extends CommandError {
  readonly retryAfterMs: number;

  constructor(response: Response) {
    super(`the event stream is refused: ${answerMessage(response.status)}`, EXIT.failed);
    const header = response.headers.get('retry-after');
    this.retryAfterMs = retryAfterMs(header, Date.now(), MAX_RETRY_AFTER_MS) ?? 0;
  }
}

/** Reads events until the connection ends (false) or the last event arrived (true). */
async function readStream(
  client: ServiceClient,
  options: FollowOptions,
  position: { lastSeq: number },
): Promise<boolean> {
  const query = new URLSearchParams({ after: String(position.lastSeq) });
  if (options.issue !== undefined) query.set('issue', options.issue);
  if (options.types !== undefined) query.set('types', options.types.join(','));
  const response = await client.fetch(`/api/v1/events?${query.toString()}`, {
    method: 'GET',
    signal: options.signal,
  });
  if (!response.ok || response.body === null) {
    await response.body?.cancel();
    throw new StreamRefused(response);
  }
  const frames = response.body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream());
  for await (const frame of frames) {
    const event = StreamEvent.parse(JSON.parse(frame.data));
    // Not the maximum: after a backup was restored, the stream continues from a lower number.
    position.lastSeq = event.seq;
    options.onEvent(event);
    if (options.isLast(event)) return true;
  }
  return false;
}
