import { wellFormedJson } from '@switchyard/shared/text/well-formed-json';
import type { Context } from 'hono';
import type { HttpBindings } from '../bindings.ts';
import { callerOf } from '../caller/caller.ts';
import { clientAddress } from '../caller/client-address.ts';
import { dropSlowListener } from './drop-slow-listener.ts';
import type { OpenStreams, StreamPlace } from '../limits/open-streams.ts';

declare module 'hono' {
  interface ContextVariableMap {
    /** Set by `authorize`: whether the caller still has access to what this request streams. */
    stillMay: (() => Promise<boolean>) | undefined;
  }
}

/** Bytes that may wait for a client here; more are left at the source. */
const MAX_WAITING_BYTES = 65_536;
/** Size of written pieces, so that no later buffer takes much more. */
const PIECE_BYTES = 16_384;

export type EventStream = {
  /**
   * Writes events with JSON data and redacts them. Resolves when there is room for more, or when
   * the client is disconnected.
   */
  write(text: string): Promise<void>;
  readonly ended: boolean;
  /** Calls back once when the stream ends, whoever ends it. */
  onEnd(then: () => void): void;
};

/**
 * Answers with Server-Sent Events that `run` writes. A client that reads nothing for a while is
 * disconnected and can resume after its last event. A caller whose token or session has ended is
 * disconnected within one keep-alive. Throws a 429 or 503 when too many streams are open.
 */
export async function sendEventStream(
  c: Context,
  streams: OpenStreams,
  run: (stream: EventStream) => Promise<void>,
): Promise<Response> {
  c.header('Content-Type', 'text/event-stream');
  c.header('Cache-Control', 'no-cache');
  // Proxies that buffer responses would delay events.
  c.header('X-Accel-Buffering', 'no');
  // The framework drops the body of a HEAD response without cancelling it.
  if (c.req.method === 'HEAD') return c.body(null);
  const client = clientAddress(c, streams.trustedHops);
  const isKnown = callerOf(c).actor !== 'anonymous';
  const place = await streams.admit({ client, isKnown });
  const { stream, body } = createStream(place, streams, {
    stillMay: c.get('stillMay') ?? (() => Promise.resolve(true)),
    cut: (c.env as Partial<HttpBindings> | undefined)?.cut,
  });
  void stream.write(': connected\n\n').then(() => stream.follow(run));
  return c.body(body);
}

const DATA = 'data: ';

/**
 * Redacts the JSON data of events. The data is one line that may contain U+2028, at which `.`
 * stops.
 */
function withoutSecrets(text: string, redact: (json: string) => string): string {
  if (redact(text) === text) return text;
  return text
    .split('\n')
    .map((line) => (line.startsWith(DATA) ? `${DATA}${redact(line.slice(DATA.length))}` : line))
    .join('\n');
}

type Hooks = { stillMay: () => Promise<boolean>; cut: (() => void) | undefined };

function createStream(place: StreamPlace, times: OpenStreams, hooks: Hooks) {
  const encoder = new TextEncoder();
  let controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  let ended = false;
  const endings: (() => void)[] = [];
  const slow = dropSlowListener(times.stallMs, cut);
  const body = new ReadableStream<Uint8Array>(
    { start: (given) => void (controller = given), pull: () => slow.hasRead(), cancel: end },
    new ByteLengthQueuingStrategy({ highWaterMark: MAX_WAITING_BYTES }),
  );
  const recheck = setInterval(() => void closeIfRevoked(), times.keepAliveMs);

  function end(): void {
    if (ended) return;
    ended = true;
    clearInterval(recheck);
    place.leave();
    slow.hasRead();
    for (const then of endings) then();
  }

  /** Closes the connection at once: what waits in it is never read. */
  function cut(): void {
    end();
    if (hooks.cut !== undefined) hooks.cut();
    else controller?.error(new Error('the listener took nothing'));
  }

  function close(): void {
    if (ended) return;
    end();
    controller?.close();
  }

  /** The caller's token or session may have ended since the stream began. */
  async function closeIfRevoked(): Promise<void> {
    const may = await hooks.stillMay().catch(() => false);
    if (!may) close();
  }

  const stream = {
    async write(text: string) {
      const bytes = encoder.encode(wellFormedJson(withoutSecrets(text, times.redact)));
      for (let at = 0; at < bytes.byteLength && !ended; at += PIECE_BYTES) {
        controller?.enqueue(bytes.subarray(at, at + PIECE_BYTES));
        const free = controller?.desiredSize ?? 0;
        place.waits(MAX_WAITING_BYTES - free + bytes.byteLength - at);
        if (free <= 0) await slow.untilRead();
      }
      if (!ended) place.waits(MAX_WAITING_BYTES - (controller?.desiredSize ?? 0));
    },
    get ended() {
      return ended;
    },
    onEnd: (then: () => void) => void endings.push(then),
    async follow(run: (stream: EventStream) => Promise<void>) {
      try {
        await run(stream);
      } catch (error) {
        times.complain(error);
      } finally {
        close();
      }
    },
  };
  return { stream, body };
}
