import { AppError } from '../../errors.ts';
import { createConcurrencyLimit, type ConcurrencyLimit } from './create-concurrency-limit.ts';
import { lastKnown } from './rate-limit.ts';

/** The settings in `limits.*` about streams. */
export type StreamLimits = { streamsPerClient: number; streams: number };

export type OpenStreamsOptions = {
  /** The present limits. */
  limits: () => Promise<StreamLimits>;
  /** Number of own proxies in front: `SERVICE_TRUST_PROXY`. */
  trustedHops?: number;
  /**
   * Silence after which a client gets a comment, and interval in which its access is checked again.
   */
  keepAliveMs?: number;
  /** A client that reads nothing for this time, although data is waiting, is disconnected. */
  stallMs?: number;
  /** Called with the failure of a stream; its client reconnects by itself. */
  complain?: (error: unknown) => void;
  /** Redacts the events of a stream. */
  redact: (json: string) => string;
};

export type StreamPlace = {
  /** Reports how many bytes wait for this client. */
  waits(bytes: number): void;
  leave(): void;
};

/** Who asks for a stream: the address that is counted, and whether a token was shown. */
type Listener = { client: string; isKnown: boolean };

/** All open streams of this process, and the bytes waiting in them. */
export type OpenStreams = Required<Omit<OpenStreamsOptions, 'limits'>> & {
  /**
   * Reserves a place for a stream. Throws a 429 or 503 with `Retry-After` when a limit is reached.
   */
  admit(listener: Listener): Promise<StreamPlace>;
  /** Limits concurrent reads for streams. */
  inTurn: ConcurrencyLimit;
  openCount(): number;
  waitingBytes(): number;
};

/** Source: decisions, Events. */
const KEEP_ALIVE_MS = 15_000;
const STALL_MS = 15_000;
/** Streams that read from the database at once. */
const READERS_AT_ONCE = 4;
const RETRY_AFTER_S = '15';
/** Share for clients without a token; the rest is reserved for those with one. */
const STRANGERS_SHARE = 0.75;

export function createOpenStreams(options: OpenStreamsOptions): OpenStreams {
  const limits = lastKnown(options.limits);
  const inTurn = createConcurrencyLimit(READERS_AT_ONCE);
  const byClient = new Map<string, number>();
  let open = 0;
  let strangers = 0;
  let waitingBytes = 0;

  function enter({ client, isKnown }: Listener): StreamPlace {
    let own = 0;
    let isHere = true;
    byClient.set(client, (byClient.get(client) ?? 0) + 1);
    open += 1;
    if (!isKnown) strangers += 1;
    const waits = (bytes: number) => {
      if (!isHere) return;
      waitingBytes += bytes - own;
      own = bytes;
    };
    return {
      waits,
      leave() {
        waits(0);
        if (!isHere) return;
        isHere = false;
        open -= 1;
        if (!isKnown) strangers -= 1;
        const left = (byClient.get(client) ?? 1) - 1;
        if (left > 0) byClient.set(client, left);
        else byClient.delete(client);
      },
    };
  }

  return {
    trustedHops: options.trustedHops ?? 0,
    keepAliveMs: options.keepAliveMs ?? KEEP_ALIVE_MS,
    stallMs: options.stallMs ?? STALL_MS,
    complain: options.complain ?? (() => {}),
    redact: options.redact,
    async admit(listener) {
      const { client, isKnown } = listener;
      const { streamsPerClient, streams } = await limits();
      if ((byClient.get(client) ?? 0) >= streamsPerClient) {
        throw refused(
          'rate_limited',
          `${streamsPerClient} streams of this client are open already`,
        );
      }
      const strangersMax = Math.max(1, Math.floor(streams * STRANGERS_SHARE));
      if (open >= streams || (!isKnown && strangers >= strangersMax)) {
        throw refused('unavailable', 'too many streams are open; try again soon');
      }
      return enter(listener);
    },
    inTurn,
    openCount: () => open,
    waitingBytes: () => waitingBytes,
  };
}

function refused(code: 'rate_limited' | 'unavailable', message: string): AppError {
  return new AppError(code, message, {
    reason: 'too_many_streams',
    headers: { 'Retry-After': RETRY_AFTER_S },
  });
}
