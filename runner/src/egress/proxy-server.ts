import { chmod, rm } from 'node:fs/promises';
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { type EgressState, type Resolve, resolveByHost } from './policy/admit.ts';
import { EgressLog, type EgressReport } from './policy/egress-log.ts';
import { FORWARD_LIMITS, type ForwardLimits, forward } from './forward.ts';
import { type Grant, type GrantStatus, MAX_GRANT_MS, grantKey } from './grant.ts';
import { GrantRequest, proxyToken, tokenMatches } from './grant.ts';
import { presentedTokens } from './model/credential-headers.ts';
import { ModelLedger } from './model/model-ledger.ts';
import type { ModelReport } from './model/model-report.ts';
import { sendError } from './model/send-error.ts';
import { endResponse } from './end-response.ts';
import { forwardHttp } from './forward-http.ts';
import { PlainTunnels, plainOrigin } from './plain-tunnels.ts';
import { type LINE_LIMITS, RunnerLine } from './tools/runner-line.ts';
import { type ENDPOINT_LIMITS, ToolEndpoint, isForTools } from './tools/tool-endpoint.ts';
import { refuse, tunnel } from './tunnel.ts';

const MAX_GRANTS = 256;
const MAX_ACTIVE_PER_GRANT = 64;
/** Open connections of one container, including idle ones: all attempts share this process. */
const MAX_CONNECTIONS_PER_SOCKET = 256;
const HEADER_BYTES = 64 * 1024;
/** How long an expired grant answers 401 and can be renewed; then its key is deleted. */
const EXPIRED_KEPT_MS = 60_000;

const NO_EGRESS = 'switchyard: this attempt may reach nothing but its model provider';

/**
 * The proxy's data plane: a unix socket for each container's grant, one loopback port for
 * processes. Forwards model requests with the provider's key, which stays in memory, and other
 * requests that the grant's policy allows.
 */
export class ProxyServer {
  readonly #grants = new Map<string, { grant: Grant; server: Server | null }>();
  readonly #limits: ForwardLimits;
  readonly #now: () => number;
  readonly #resolve: Resolve;
  readonly #host: Server;
  readonly #plainTunnels = new PlainTunnels();
  readonly #tools: ToolEndpoint | null;

  constructor(
    options: {
      limits?: Partial<ForwardLimits>;
      now?: () => number;
      resolve?: Resolve;
      /** Connection to the runner for tool calls; left out: agents have no tools here. */
      tools?: {
        socket: string;
        limits?: Partial<typeof ENDPOINT_LIMITS>;
        lineLimits?: Partial<typeof LINE_LIMITS>;
      };
    } = {},
  ) {
    this.#limits = { ...FORWARD_LIMITS, ...options.limits };
    this.#now = options.now ?? Date.now;
    this.#resolve = options.resolve ?? resolveByHost;
    const { tools } = options;
    this.#tools =
      tools === undefined
        ? null
        : new ToolEndpoint(new RunnerLine(tools.socket, tools.lineLimits), tools.limits);
    this.#host = this.#serve({ model: ({ headers }) => this.#byToken(presentedTokens(headers)) });
  }

  /** Opens the loopback port; `port` 0 takes any. */
  async listen(port = 0): Promise<number> {
    await listening(this.#host, { host: '127.0.0.1', port });
    return this.hostPort;
  }

  get hostPort(): number {
    return (this.#host.address() as AddressInfo | null)?.port ?? 0;
  }

  /** Creates or renews a grant. Throws when there are too many or the socket cannot be created. */
  async grant(asked: GrantRequest): Promise<void> {
    const request = GrantRequest.parse(asked);
    const key = grantKey(request);
    const expiresAtMs = Math.min(request.expiresAtMs, this.#now() + MAX_GRANT_MS);
    const present = this.#grants.get(key);
    if (present && present.grant.socketFolder === request.socketFolder) {
      const world = worldOf(request, present.grant.world);
      Object.assign(present.grant, request, { expiresAtMs, world });
      return;
    }
    if (present) await this.revoke(request);
    if (this.#grants.size >= MAX_GRANTS) throw new Error(`more than ${MAX_GRANTS} grants`);
    const grant: Grant = {
      ...request,
      expiresAtMs,
      requests: 0,
      active: 0,
      revoked: new AbortController(),
      world: worldOf(request),
      ledger: new ModelLedger(this.#now),
      now: this.#now,
    };
    const entry = { grant, server: null as Server | null };
    this.#grants.set(key, entry);
    if (request.socketFolder === null) return;
    try {
      entry.server = await this.#openSocket(grant, request.socketFolder);
    } catch (error) {
      this.#grants.delete(key);
      throw error;
    }
  }

  /** Ends a grant and its open requests. False when there is none. */
  async revoke(owner: { attemptId: string; epoch: number }): Promise<boolean> {
    const entry = this.#grants.get(grantKey(owner));
    if (!entry) return false;
    this.#grants.delete(grantKey(owner));
    entry.grant.revoked.abort();
    if (entry.server) await closed(entry.server);
    return true;
  }

  /** Removes grants that expired a minute ago; returns how many are live. */
  async sweep(): Promise<number> {
    for (const { grant } of this.#grants.values()) {
      if (grant.expiresAtMs + EXPIRED_KEPT_MS <= this.#now()) await this.revoke(grant);
    }
    return [...this.#grants.values()].filter(({ grant }) => this.#isLive(grant)).length;
  }

  status(): GrantStatus[] {
    return [...this.#grants.values()].map(({ grant }) => ({
      attemptId: grant.attemptId,
      epoch: grant.epoch,
      expiresAtMs: grant.expiresAtMs,
      requests: grant.requests,
      active: grant.active,
    }));
  }

  egressReport(owner: { attemptId: string; epoch: number }): EgressReport {
    const world = this.#grants.get(grantKey(owner))?.grant.world ?? null;
    return world === null ? { entries: [], others: 0 } : world.log.report();
  }

  /** A provider's responses for a grant; null when there is no such grant. */
  modelReport(owner: { attemptId: string; epoch: number }): ModelReport | null {
    return this.#grants.get(grantKey(owner))?.grant.ledger.report() ?? null;
  }

  async close(): Promise<void> {
    for (const { grant } of this.#grants.values()) await this.revoke(grant);
    await closed(this.#host);
  }

  #isLive(grant: Grant): boolean {
    return grant.expiresAtMs > this.#now();
  }

  #byToken(tokens: readonly string[]): Grant | null {
    let found: Grant | null = null;
    for (const { grant } of this.#grants.values()) {
      if (showsToken(grant, tokens)) found = grant;
    }
    return found;
  }

  /**
   * Opens the socket: its mode allows every user, because the container has another uid, but its
   * folder restricts access.
   */
  async #openSocket(grant: Grant, folder: string): Promise<Server> {
    const path = join(folder, 'proxy.sock');
    await rm(path, { force: true });
    const server = this.#serve({
      model: ({ headers }) => (showsToken(grant, presentedTokens(headers)) ? grant : null),
      // Access to the socket is the proof of identity: no one else has its folder.
      world: () => grant,
    });
    server.maxConnections = MAX_CONNECTIONS_PER_SOCKET;
    await listening(server, { path });
    await chmod(path, 0o666);
    return server;
  }

  /** Serves requests. Without `world`, network access requires the token as proxy authorization. */
  #serve(find: { model: (request: IncomingMessage) => Grant | null; world?: () => Grant }): Server {
    const worldOf = (request: IncomingMessage): Grant | null =>
      find.world?.() ?? this.#byToken([proxyToken(request.headers['proxy-authorization'])]);
    const server = createServer({ maxHeaderSize: HEADER_BYTES }, (request, response) => {
      if (/^[a-z]+:\/\//i.test(request.url ?? '')) {
        void this.#answerWorld(request, response, worldOf(request));
      } else void this.#answer(request, response, find.model(request));
    });
    server.on('connect', (request: IncomingMessage, client: Duplex, head: Buffer) => {
      void this.#tunnel(request, client, head, worldOf(request));
    });
    server.requestTimeout = this.#limits.totalTimeoutMs;
    server.headersTimeout = 30_000;
    server.keepAliveTimeout = 60_000;
    return server;
  }

  async #answerWorld(
    request: IncomingMessage,
    response: ServerResponse,
    grant: Grant | null,
  ): Promise<void> {
    request.on('error', () => response.destroy());
    if (!grant?.world || !this.#isLive(grant)) {
      response.writeHead(403, { 'content-type': 'text/plain', connection: 'close' });
      endResponse(request, response, `${NO_EGRESS}\n`);
      return;
    }
    const options = { resolve: this.#resolve, signal: grant.revoked.signal };
    await forwardHttp(request, response, grant.world, options);
  }

  async #tunnel(
    request: IncomingMessage,
    client: Duplex,
    head: Buffer,
    grant: Grant | null,
  ): Promise<void> {
    if (!grant?.world || !this.#isLive(grant)) {
      refuse(client, 403, NO_EGRESS, 'no_access');
      return;
    }
    const origin = plainOrigin(grant.world.policy, request.url ?? '');
    const { signal } = grant.revoked;
    if (origin !== null) {
      const answer = (inner: IncomingMessage, response: ServerResponse): void =>
        void this.#answerWorld(inner, response, grant);
      this.#plainTunnels.take(client, head, { origin, answer, signal });
      return;
    }
    const options = { resolve: this.#resolve, signal };
    await tunnel(request, { client, head }, grant.world, options);
  }

  async #answer(
    request: IncomingMessage,
    response: ServerResponse,
    grant: Grant | null,
  ): Promise<void> {
    request.on('error', () => response.destroy());
    if (!grant || !this.#isLive(grant)) {
      const message = 'this attempt has no access to the model provider';
      sendError(request, response, { status: 401, type: 'invalid_token', message });
      return;
    }
    if (this.#tools !== null && isForTools(request.url)) {
      await this.#tools.answer(request, response, grant);
      return;
    }
    if (grant.active >= MAX_ACTIVE_PER_GRANT) {
      const message = `more than ${MAX_ACTIVE_PER_GRANT} requests at a time`;
      sendError(request, response, { status: 429, type: 'too_many_requests', message });
      return;
    }
    grant.requests += 1;
    grant.active += 1;
    try {
      await forward(request, response, grant, this.#limits);
    } finally {
      grant.active -= 1;
    }
  }
}

function showsToken(grant: Grant, tokens: readonly string[]): boolean {
  return tokens.map((token) => tokenMatches(grant, token)).includes(true);
}

/** The network state of a grant; a renewed grant continues its counts. */
function worldOf(
  { egress: policy, secretValues: values }: Pick<Grant, 'egress' | 'secretValues'>,
  present: EgressState | null = null,
): EgressState | null {
  if (policy === null || present === null) {
    return policy === null ? null : { policy, values, log: new EgressLog(), active: 0 };
  }
  return Object.assign(present, { policy, values });
}

/** Open connections by server, since a server forgets those of which a CONNECT made a tunnel. */
const connections = new WeakMap<Server, Set<Duplex>>();

/** Starts listening, or rejects with the system's error. */
export async function listening(
  server: Server,
  where: { path: string } | { host: string; port: number },
): Promise<void> {
  const open = new Set<Duplex>();
  connections.set(server, open);
  server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(where, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** Ends a server with its connections, those of tunnels included. */
export async function closed(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
    for (const socket of connections.get(server) ?? []) socket.destroy();
  });
}
