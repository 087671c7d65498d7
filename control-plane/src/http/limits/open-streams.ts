import { AppError } from '../../errors.ts';
import { createConcurrencyLimit, type ConcurrencyLimit } from './create-concurrency-limit.ts';
import { lastKnown } from './rate-limit.ts';

/** `limits.*` of the configuration, as far as they count streams. */
export type StreamLimits = { streamsPerClient: number; streams: number };

export type OpenStreamsOptions = {
  /** The limits as configured now. */
  limits: () => Promise<StreamLimits>;
  /** Proxies of our own in front: `SERVICE_TRUST_PROXY`. */
  trustedHops?: number;
  /** Silence after which a listener gets a comment, and time in which his right is looked at again. */
  keepAliveMs?: number;
  /** A listener who takes nothing for so long, although something waits for him, is dropped. */
  stallMs?: number;
  /** Told why a stream failed; its listener comes back by himself. */
  complain?: (error: unknown) => void;
  /** Takes secrets out of the events of a stream. */
  redact: (json: string) => string;
};

export type StreamPlace = {
  /** Says how much waits for this listener now. */
  waits(bytes: number): void;
  leave(): void;
};

/** Who asks for a stream: the address that is counted, and whether a token was shown. */
type Listener = { client: string; isKnown: boolean };

/** The streams that are open in this process, of every kind, and what waits in them. */
export type OpenStreams = Required<Omit<OpenStreamsOptions, 'limits'>> & {
  /** Throws 429 or 503 with `Retry-After` when a limit is reached. */
  admit(listener: Listener): Promise<StreamPlace>;
  /** For reading what a stream sends next. */
  inTurn: ConcurrencyLimit;
  openCount(): number;
  waitingBytes(): number;
};

/** Source: decisions, Events. */
const KEEP_ALIVE_MS = 15_000;
const STALL_MS = 15_000;
/** Of all streams so many read from the database at once. */
const READERS_AT_ONCE = 4;
const RETRY_AFTER_S = '15';
/** What is left for those who have shown a token when everybody else listens already. */
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
