import { RENEW_MS, SUBPROTOCOL } from '@switchyard/shared/protocol/limits';
import { JoinResponse } from '@switchyard/shared/protocol/join';
import {
  ControlPlaneMessage,
  type ControlPlaneMessageOf,
  type RunnerMessage,
  type RunnerMessageOf,
} from '@switchyard/shared/protocol/messages';
import WebSocket from 'ws';
import type { ServiceClient } from '../e2e/service-client.ts';
import { until } from '../e2e/until.ts';
import { createRunnerIdentity, type RunnerIdentity } from './runner-identity.ts';

const ANSWER_TIMEOUT_MS = 60_000;
/** Often enough that a slow machine is not taken for a dead socket. */
const PING_EVERY_MS = 3_000;
type Type = ControlPlaneMessage['type'];

/** One socket of a runner that says what a test wants. Everything that came is kept in order. */
export class SocketLine {
  readonly socket: WebSocket;
  readonly messages: ControlPlaneMessage[] = [];
  /** Texts that are no frames: answers to pings. */
  readonly texts: string[] = [];
  closed: { code: number; reason: string } | null = null;
  #read = 0;

  constructor(socket: WebSocket) {
    this.socket = socket;
    const pings = setInterval(() => {
      if (socket.readyState === WebSocket.OPEN) socket.send('ping');
    }, PING_EVERY_MS);
    socket.on('message', (data: Buffer) => {
      const text = data.toString();
      if (text === 'pong') this.texts.push(text);
      else this.messages.push(...ControlPlaneMessage.array().parse(JSON.parse(text)));
    });
    socket.on('close', (code, reason) => {
      clearInterval(pings);
      this.closed = { code, reason: reason.toString() };
    });
    socket.on('error', () => undefined);
  }

  say(...messages: RunnerMessage[]): void {
    this.socket.send(JSON.stringify(messages));
  }

  /** The next message of this type that no earlier call has given. */
  async next<T extends Type>(type: T): Promise<ControlPlaneMessageOf<T>> {
    const look = () =>
      this.messages.findIndex((message, index) => index >= this.#read && message.type === type);
    const what = `${type} from the control plane`;
    const index = await until(look, (found) => found >= 0, { what, timeoutMs: ANSWER_TIMEOUT_MS });
    this.#read = index + 1;
    return this.messages[index] as ControlPlaneMessageOf<T>;
  }

  /**
   * Says a message as runners do: again after an error that allows it, and with every renewal, until
   * an answer has come. `message` is asked each time, because orders may have changed meanwhile.
   */
  async sayUntil<T extends Type>(
    message: () => RunnerMessage,
    type: T,
    isAnswer: (answer: ControlPlaneMessageOf<T>) => boolean = () => true,
  ): Promise<ControlPlaneMessageOf<T>> {
    const from = this.messages.length;
    let said = { atMs: Number.NEGATIVE_INFINITY, errors: 0 };
    const look = () => {
      const heard = this.messages.slice(from);
      const answer = heard.find((one) => one.type === type && isAnswer(one as never));
      if (answer !== undefined) return { answer: answer as ControlPlaneMessageOf<T>, heard };
      if (this.closed !== null) throw new Error(`the socket ended: ${JSON.stringify(this.closed)}`);
      const errors = heard.filter((one) => one.type === 'error' && one.retryable).length;
      if (errors > said.errors || performance.now() - said.atMs >= RENEW_MS) {
        said = { atMs: performance.now(), errors };
        this.say(message());
      }
      return { answer: null, heard };
    };
    const wait = { what: `${type} as an answer`, timeoutMs: ANSWER_TIMEOUT_MS };
    const { answer } = await until(look, (seen) => seen.answer !== null, wait);
    if (answer === null) throw new Error('no answer');
    return answer;
  }

  async end(): Promise<{ code: number; reason: string }> {
    const wait = { what: 'the end of the socket', timeoutMs: ANSWER_TIMEOUT_MS };
    const closed = await until(
      () => this.closed,
      (found) => found !== null,
      wait,
    );
    if (closed === null) throw new Error('not closed');
    return closed;
  }
}

/** A runner that joined a service over HTTP and speaks over real sockets. */
export class SocketRunner {
  readonly runnerId: string;
  readonly #url: string;
  readonly #audience: string;
  readonly #identity: RunnerIdentity;
  readonly #lines: SocketLine[] = [];

  static async join(client: ServiceClient, name: string): Promise<SocketRunner> {
    const { token } = await client.must<{ token: string }>('POST', '/runners/tokens', {});
    const identity = await createRunnerIdentity(name);
    const answer = await client.send('/api/v1/runners/join', {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify(identity.joinRequest([])),
    });
    if (answer.status !== 201) throw new Error(`join: ${answer.status}`);
    const { runnerId, audience } = JoinResponse.parse(answer.body);
    return new SocketRunner({ url: client.url, runnerId, audience, identity });
  }

  private constructor(given: {
    url: string;
    runnerId: string;
    audience: string;
    identity: RunnerIdentity;
  }) {
    this.runnerId = given.runnerId;
    this.#url = given.url;
    this.#audience = given.audience;
    this.#identity = given.identity;
  }

  /** Opens a socket; rejects with the status when it is refused. */
  async open(authorization?: string): Promise<SocketLine> {
    const token = await this.#identity.accessToken({
      runnerId: this.runnerId,
      audience: this.#audience,
      nowMs: Date.now(),
    });
    const socket = new WebSocket(
      `${this.#url.replace(/^http/, 'ws')}/api/v1/runners/connect`,
      SUBPROTOCOL,
      { headers: { authorization: authorization ?? `Bearer ${token}` }, perMessageDeflate: false },
    );
    const line = new SocketLine(socket);
    await new Promise<void>((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('unexpected-response', (_request, response) => {
        reject(new Error(`refused with ${response.statusCode}`));
        response.resume();
        socket.terminate();
      });
      socket.once('error', reject);
    });
    this.#lines.push(line);
    return line;
  }

  /** Opens a socket and begins a session on it. */
  async connect(held: RunnerMessageOf<'hello'>['held'] = []): Promise<SocketLine> {
    const line = await this.open();
    line.say(this.hello(held));
    await line.next('welcome');
    return line;
  }

  hello(held: RunnerMessageOf<'hello'>['held'] = []): RunnerMessageOf<'hello'> {
    return {
      type: 'hello',
      protocol: { min: 1, max: 1 },
      runnerId: this.runnerId,
      bootId: 'boot-1',
      instanceId: 'instance-1',
      version: '0.0.0-test',
      features: [],
      labels: [],
      slots: { total: 1, free: held.length === 0 ? 1 : 0 },
      isolation: 'process',
      warnings: [],
      draining: false,
      held,
    };
  }

  close(): void {
    for (const { socket } of this.#lines) socket.terminate();
  }
}
