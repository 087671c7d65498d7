import {
  createServer,
  type IncomingMessage,
  request as httpRequest,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { SUBPROTOCOL } from '@switchyard/shared/protocol/limits';
import WebSocket, { WebSocketServer } from 'ws';
import { frameText, syncFrame } from './frame-text.ts';
import { type Direction, type FrameTrap, HeldSocketPair } from './held-socket-pair.ts';
import type { WireRecord } from './wire-record.ts';

const HANDSHAKE_TIMEOUT_MS = 10_000;
/** Where a runner speaks by requests when no socket can be had. */
const SYNC_PATH = '/api/v1/runners/sync';

/**
 * The network between one runner and its control plane: a loopback port that passes HTTP and the
 * runner's socket on, notes what was said, and can hold or cut it.
 */
export class RunnerLink {
  readonly #record: WireRecord;
  readonly #target: () => string;
  readonly #server: Server;
  readonly #upgrades = new WebSocketServer({ noServer: true, handleProtocols: () => SUBPROTOCOL });
  readonly #pairs = new Set<HeldSocketPair>();
  /** Connections that were begun while nothing passes: they end when it does again. */
  readonly #waiting = new Set<Duplex>();
  #held: Direction | null = null;
  #trap: FrameTrap | null = null;

  /** `target`: the control plane's address now. */
  constructor(record: WireRecord, target: () => string) {
    this.#record = record;
    this.#target = target;
    this.#server = createServer((request, response) => this.#pass(request, response));
    this.#server.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head));
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get isHeld(): boolean {
    return this.#held !== null;
  }

  /** From now on nothing arrives in this direction; what was sent waits, as in a real network. */
  hold(direction: Direction): void {
    this.#held = direction;
    for (const pair of this.#pairs) pair.hold(direction);
  }

  /** Holds both directions from the first frame on that fits, that frame included; then resolves. */
  trapped(fits: FrameTrap): Promise<void> {
    return new Promise((resolve) => {
      this.#trap = (direction, text) => {
        if (!fits(direction, text)) return false;
        this.#trap = null;
        this.#held = 'both';
        resolve();
        return true;
      };
    });
  }

  untrap(): void {
    this.#trap = null;
  }

  /** Lets everything through again. `cut`: what waited is lost with its connections. */
  heal(how: 'deliver' | 'cut'): void {
    this.#held = null;
    for (const socket of this.#waiting) socket.destroy();
    this.#waiting.clear();
    for (const pair of this.#pairs) {
      if (how === 'cut') pair.cut();
      else pair.release();
    }
  }

  /** Ends every connection without a word. */
  cut(): void {
    for (const pair of this.#pairs) pair.cut();
  }

  async close(): Promise<void> {
    this.cut();
    for (const socket of this.#waiting) socket.destroy();
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  #pass(request: IncomingMessage, response: ServerResponse): void {
    if (this.#held !== null) {
      this.#waiting.add(request.socket);
      request.socket.once('close', () => this.#waiting.delete(request.socket));
      return;
    }
    const url = new URL(request.url ?? '/', this.#target());
    const { method, headers } = request;
    const outgoing = httpRequest(url, { method, headers: { ...headers, host: url.host } });
    const isSync = url.pathname.endsWith(SYNC_PATH);
    if (isSync) whenWhole(request, (text) => this.#record.fromRunner(text));
    outgoing.on('response', (incoming) => {
      if (isSync) whenWhole(incoming, (text) => this.#record.fromPlane(text));
      response.writeHead(incoming.statusCode ?? 502, incoming.headers);
      incoming.pipe(response);
      incoming.on('error', () => response.destroy());
    });
    // A control plane that is not there looks like one to the runner: no answer at all.
    outgoing.on('error', () => request.socket.destroy());
    request.on('error', () => outgoing.destroy());
    request.pipe(outgoing);
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy());
    if (this.#held !== null) {
      this.#waiting.add(socket);
      socket.once('close', () => this.#waiting.delete(socket));
      return;
    }
    const url = new URL(request.url ?? '/', this.#target());
    url.protocol = 'ws:';
    const authorization = request.headers.authorization ?? '';
    const back = new WebSocket(url, SUBPROTOCOL, {
      headers: { authorization },
      handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
      perMessageDeflate: false,
    });
    back.on('error', () => socket.destroy());
    back.on('unexpected-response', (_outgoing, answer) => {
      socket.end(`HTTP/1.1 ${answer.statusCode} Refused\r\nConnection: close\r\n\r\n`);
      back.terminate();
    });
    // Frames may follow the handshake at once: they wait until both ends are there.
    const early: string[] = [];
    const keepEarly = (data: WebSocket.RawData) => early.push(frameText(data));
    back.on('message', keepEarly);
    back.once('open', () => {
      this.#upgrades.handleUpgrade(request, socket, head, (front) => {
        back.off('message', keepEarly);
        this.#join(front, back, early);
      });
    });
  }

  #join(front: WebSocket, back: WebSocket, early: readonly string[]): void {
    const trap: FrameTrap = (direction, text) => this.#trap?.(direction, text) ?? false;
    const pair = new HeldSocketPair({ front, back }, { record: this.#record, trap }, early);
    this.#pairs.add(pair);
    pair.onClose(() => this.#pairs.delete(pair));
    if (this.#held !== null) pair.hold(this.#held);
  }
}

/** The messages of a body as a frame's text, once all of it has passed; nothing of a part. */
function whenWhole(body: IncomingMessage, then: (frame: string) => void): void {
  const chunks: Buffer[] = [];
  body.on('data', (chunk: Buffer) => chunks.push(chunk));
  body.on('end', () => then(syncFrame(Buffer.concat(chunks).toString('utf8'))));
}
