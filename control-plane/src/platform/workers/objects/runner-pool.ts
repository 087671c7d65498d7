import { DurableObject } from 'cloudflare:workers';
import { OpenAPIHono } from '@hono/zod-openapi';
import { and, eq, inArray, isNotNull } from 'drizzle-orm';
import { MAX_FRAME_BYTES, SOCKET_DEAD_MS } from '@switchyard/shared/protocol/limits';
import { toJson } from '@switchyard/shared/text/well-formed-json';
import { liveTextRoutes, isLiveTextPath } from '../../../attempts/live-text-routes.ts';
import { createLiveText } from '../../../observe/events/create-live-text.ts';
import { runners } from '../../../db/schema/runners/runners.ts';
import type { Deps } from '../../../deps.ts';
import { AppError } from '../../../errors.ts';
import type { HttpEnv } from '../../../http/bindings.ts';
import { errorHandler, refuseInvalid } from '../../../http/error-handler.ts';
import { requestId } from '../../../http/request-id.ts';
import { authenticateRunner } from '../../../runners/admin/authenticate-runner.ts';
import { CLOSE_REVOKED } from '../../../runners/admin/is-revoked.ts';
import { recordDisconnect } from '../../../runners/protocol/record-disconnect.ts';
import { createFrameHandler } from '../../../runners/protocol/create-frame-handler.ts';
import type { FrameResult } from '../../../runners/protocol/handle-frame.ts';
import { syncRunner } from '../../../runners/protocol/sync-runner.ts';
import { runnerProtocolRoutes } from '../../../runners/protocol-routes.ts';
import { createRunnerConnections } from '../../../runners/connections/create-runner-connections.ts';
import {
  inOrder,
  openSession,
  retryableError,
  type RunnerSession,
} from '../../../runners/session/runner-session.ts';
import { CLIENT_HEADER } from './client-header.ts';
import { createStreamApp } from './create-stream-app.ts';
import { HibernatingSockets, noteOf, setNote } from './hibernating-sockets.ts';
import { createObjectWriter } from '../database/create-object-writer.ts';
import { memoizeAsync } from '../memoize-async.ts';
import type { PoolCall, PoolCallAnswer, PoolOrder, RunnerPoolCalls } from '../coordinator-calls.ts';
import { shardNameOf } from '../shard-name-of.ts';
import { startWorkerCore } from '../start-worker-core.ts';
import type { WorkerEnv } from '../worker-env.ts';
import { workerLogger } from '../worker-logger.ts';

/** Interval in which sockets with a lost close event are found. Longer sleep costs less. */
const SWEEP_EVERY_MS = 300_000;

/**
 * Characters of one runner's frames that may wait: an object cannot stop reading, and has little
 * memory.
 */
const MAX_WAITING_CHARS = 16_777_216;
const IDS_PER_READ = 90;

/**
 * Holds the sockets of a share of the runners and hibernates while they are idle, because the
 * runtime answers their pings. Its memory may be lost at any time: sessions are rows, and their
 * number is stored with the socket.
 */
export class RunnerPool extends DurableObject<WorkerEnv> implements RunnerPoolCalls {
  readonly #sessions = new Map<string, RunnerSession>();
  readonly #sockets: HibernatingSockets;
  readonly #core = memoizeAsync(() => this.#start());

  constructor(ctx: DurableObjectState, env: WorkerEnv) {
    super(ctx, env);
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair('ping', 'pong'));
    this.#sockets = new HibernatingSockets(ctx, (socket) => ctx.waitUntil(this.#ended(socket)));
  }

  /** Serves `connect` and `sync` for this pool's runners, and live text of their attempts. */
  override async fetch(request: Request): Promise<Response> {
    const { app, streams } = await this.#core();
    const client = request.headers.get(CLIENT_HEADER);
    // Only the Worker itself requests a stream, with the client's address.
    if (isLiveTextPath(new URL(request.url).pathname))
      return (await streams()).fetch(request, { remoteAddress: client });
    await this.#sweepLater(request.headers.has('Upgrade') ? SWEEP_EVERY_MS : 2 * SOCKET_DEAD_MS);
    return app.fetch(request, { remoteAddress: null });
  }

  /** Sends messages and closes sockets, in order. */
  async deliver(orders: PoolOrder[]): Promise<void> {
    const { deps } = await this.#core();
    for (const { runnerId, messages, close } of orders) {
      if (messages !== undefined) deps.connections.send(runnerId, messages);
      else deps.connections.close(runnerId, close.code, close.reason);
    }
  }

  async whichConnected(runnerIds: string[]): Promise<{ runnerId: string; lastSeenAtMs: number }[]> {
    const { deps } = await this.#core();
    const found = await deps.connections.connected(runnerIds);
    return [...found].map(([runnerId, lastSeenAtMs]) => ({ runnerId, lastSeenAtMs }));
  }

  async call({ runnerId, method, params, timeoutMs }: PoolCall): Promise<PoolCallAnswer> {
    const { deps } = await this.#core();
    try {
      const value = await deps.connections.call(runnerId, method, params as never, timeoutMs);
      return { ok: true, json: JSON.stringify(value) };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const { code, message, reason } = error;
      return { ok: false, code, message, reason };
    }
  }

  override async webSocketMessage(socket: WebSocket, data: string | ArrayBuffer): Promise<void> {
    this.#sockets.heard(socket);
    if (typeof data !== 'string') return socket.close(1003, 'text frames only');
    if (data.length > MAX_FRAME_BYTES) return socket.close(1009, 'frame too large');
    const session = this.#sessionOf(socket);
    const waiting = session.waiting.reduce((sum, frame) => sum + frame.text.length, 0);
    if (waiting > MAX_WAITING_CHARS) return socket.close(1013, 'too much at once');
    // Every frame must be answered: a runner that waits for a welcome would wait for ever.
    const { replies, close } = await this.#core().then(
      ({ handleFrame }) => handleFrame(session, data),
      (error: unknown): FrameResult => {
        workerLogger(this.env).error('the core did not start or failed', { error: String(error) });
        return { replies: [retryableError('UNAVAILABLE', 'try again')] };
      },
    );
    const note = noteOf(socket);
    if (note.session !== session.session) {
      setNote(socket, { ...note, session: session.session });
    }
    if (replies.length > 0 && socket.readyState === WebSocket.OPEN) socket.send(toJson(replies));
    if (close !== undefined) socket.close(close.code, close.reason);
  }

  override webSocketClose(socket: WebSocket): Promise<void> {
    return this.#ended(socket);
  }

  override webSocketError(socket: WebSocket): Promise<void> {
    return this.#ended(socket);
  }

  /** Finds sockets that ended without an event, and runners whose inbox was lost by an eviction. */
  override async alarm(): Promise<void> {
    const left = this.#sockets.sweep();
    const { deps } = await this.#core();
    const rows = await deps.db
      .select({ runner_id: runners.runner_id, session: runners.session })
      .from(runners)
      .where(eq(runners.connected, true));
    const own = rows.filter((row) => this.#isOwn(row.runner_id));
    const here = await deps.connections.connected(own.map((row) => row.runner_id));
    for (const row of own) {
      if (!here.has(row.runner_id)) {
        await recordDisconnect(deps, openSession(row.runner_id, row.session));
      }
    }
    await this.#cutRevoked(deps);
    if (left > 0 || here.size > 0) await this.#sweepLater(SWEEP_EVERY_MS);
  }

  /**
   * Closes sockets of revoked runners whose close order was lost; their frames are refused anyway.
   */
  async #cutRevoked(deps: Pick<Deps, 'db'>): Promise<void> {
    const ids = this.#sockets.runnerIds();
    for (let at = 0; at < ids.length; at += IDS_PER_READ) {
      const some = ids.slice(at, at + IDS_PER_READ);
      const revoked = await deps.db
        .select({ runner_id: runners.runner_id })
        .from(runners)
        .where(and(inArray(runners.runner_id, some), isNotNull(runners.revoked_at_ms)));
      for (const { runner_id } of revoked)
        this.#sockets.close(runner_id, CLOSE_REVOKED.code, CLOSE_REVOKED.reason);
    }
  }

  #isOwn(runnerId: string): boolean {
    const name = shardNameOf(this.env, runnerId);
    return this.env.RUNNER_POOL.idFromName(name).equals(this.ctx.id);
  }

  async #sweepLater(afterMs: number): Promise<void> {
    const present = await this.ctx.storage.getAlarm();
    const atMs = Date.now() + afterMs;
    if (present === null || present > atMs) await this.ctx.storage.setAlarm(atMs);
  }

  async #ended(socket: WebSocket): Promise<void> {
    const { connection } = noteOf(socket);
    const session = this.#sessionOf(socket);
    this.#sessions.delete(connection);
    this.#sockets.forget(socket);
    const { deps } = await this.#core();
    await inOrder(session, () => recordDisconnect(deps, session));
  }

  #sessionOf(socket: WebSocket): RunnerSession {
    const note = noteOf(socket);
    const known = this.#sessions.get(note.connection);
    if (known !== undefined) return known;
    const session = openSession(note.runnerId, note.session);
    this.#sessions.set(note.connection, session);
    return session;
  }

  async #start() {
    const { deps, variables } = await startWorkerCore(
      this.env,
      (made) => ({
        connections: createRunnerConnections({ ...made, sockets: this.#sockets }),
        liveText: createLiveText(),
      }),
      createObjectWriter(this.env),
    );
    const app = new OpenAPIHono<HttpEnv>({ defaultHook: refuseInvalid });
    app.use(requestId());
    app.onError(errorHandler(deps.logger, deps.errors));
    app.get('/api/v1/runners/connect', async (c) => {
      const runner = await authenticateRunner(deps, c.req.header('authorization'));
      return this.#upgrade(runner.runner_id, c.req.header('sec-websocket-protocol'));
    });
    const streams = memoizeAsync(async () => {
      const made = await createStreamApp({ deps, variables });
      return made.app.openapiRoutes(liveTextRoutes({ ...deps, streams: made.streams }));
    });
    const handleFrame = createFrameHandler(deps);
    const sync = syncRunner.bind(undefined, { ...deps, handleFrame });
    const routed = app.openapiRoutes(runnerProtocolRoutes({ ...deps, syncRunner: sync }));
    return { deps, app: routed, handleFrame, streams };
  }

  #upgrade(runnerId: string, protocols: string | undefined): Response {
    const { 0: theirs, 1: ours } = new WebSocketPair();
    this.#sockets.accept(ours, runnerId);
    const [protocol] = (protocols ?? '').split(',').map((name) => name.trim());
    const headers = new Headers();
    if (protocol) headers.set('Sec-WebSocket-Protocol', protocol);
    return new Response(null, { status: 101, webSocket: theirs, headers });
  }
}
