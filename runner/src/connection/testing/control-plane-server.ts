import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { JoinRequest } from '@switchyard/shared/protocol/join';
import { SUBPROTOCOL } from '@switchyard/shared/protocol/limits';
import { CompactEncrypt, importJWK, jwtVerify } from 'jose';
import type { JWTPayload } from 'jose';
import { WebSocketServer } from 'ws';
import type { WebSocket } from 'ws';
import { FakeControlPlane } from './fake-control-plane.ts';

const AUDIENCE = 'https://control-plane.test';

/** FakeControlPlane on a real port: join, socket and blobs, with real tokens checked. */
export class ControlPlaneServer {
  readonly plane = new FakeControlPlane();
  readonly blobs = new Map<string, Buffer>();
  readonly tokens: JWTPayload[] = [];
  /** A runner's id ends with how many joined before it. */
  runnerIdPrefix = 'run_0000000';
  joinToken = 'enr_once';
  joins: JoinRequest[] = [];
  trouble: unknown = null;
  /** Every socket is refused with this status while set. */
  refuseStatus: number | null = null;
  readonly #http: Server;
  readonly #sockets: WebSocketServer;
  readonly #open = new Set<WebSocket>();
  #lastChunk: Promise<void> = Promise.resolve();

  constructor() {
    this.#http = createServer((request, response) => {
      this.#request(request, response).catch((error: unknown) => {
        this.trouble ??= error;
        response.writeHead(500).end();
      });
    });
    this.#sockets = new WebSocketServer({ noServer: true, handleProtocols: () => SUBPROTOCOL });
    this.#http.on('upgrade', (request, socket, head) => {
      this.#authorized(request).then(
        () => {
          if (this.refuseStatus !== null)
            return void socket.end(`HTTP/1.1 ${this.refuseStatus} No\r\n\r\n`);
          this.#sockets.handleUpgrade(request, socket, head, (open) => this.#connected(open));
        },
        () => void socket.end('HTTP/1.1 401 Unauthorized\r\ncontent-length: 2\r\n\r\nno'),
      );
    });
  }

  /** Listens on a free loopback port; `port` to come back on the same one. */
  async listen(port = 0): Promise<string> {
    await new Promise<void>((resolve) => this.#http.listen(port, '127.0.0.1', resolve));
    return this.url;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`;
  }

  /** Drops every socket without a closing handshake. */
  cut(): void {
    for (const socket of this.#open) socket.terminate();
  }

  async close(): Promise<void> {
    this.cut();
    this.#sockets.close();
    this.#http.closeAllConnections();
    await new Promise<void>((resolve) => this.#http.close(() => resolve()));
  }

  /** Seals to the runner that joined last. */
  async seal(secrets: Record<string, string>): Promise<string> {
    const jwk = this.joins.at(-1)?.keys.sealing;
    if (jwk === undefined) throw new Error('nobody has joined');
    const key = await importJWK(jwk, 'ECDH-ES');
    return await new CompactEncrypt(new TextEncoder().encode(JSON.stringify(secrets)))
      .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A256GCM' })
      .encrypt(key);
  }

  #connected(socket: WebSocket): void {
    this.#open.add(socket);
    this.plane.connected((text) => socket.send(text));
    socket.on('message', (data: Buffer) => {
      this.#lastChunk = this.#lastChunk
        .then(() => this.plane.hear(data.toString('utf8')))
        .catch((error: unknown) => {
          this.trouble ??= error;
        });
    });
    socket.on('close', () => {
      this.#open.delete(socket);
      if (this.#open.size === 0) this.plane.disconnected();
    });
  }

  async #authorized(request: IncomingMessage): Promise<void> {
    const token = (request.headers.authorization ?? '').replace(/^Bearer /, '');
    const jwk = this.joins.at(-1)?.keys.signing;
    if (jwk === undefined) throw new Error('nobody has joined');
    const { payload } = await jwtVerify(token, await importJWK(jwk, 'EdDSA'), {
      audience: AUDIENCE,
    });
    this.tokens.push(payload);
  }

  async #request(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request);
    const { method = '', url = '' } = request;
    if (method === 'POST' && url === '/api/v1/runners/join') {
      if (request.headers.authorization !== `Bearer ${this.joinToken}`) {
        return void response.writeHead(401).end('{"error":"this token is not valid"}');
      }
      const join = JoinRequest.parse(JSON.parse(body.toString('utf8')));
      this.joins.push(join);
      const answer = {
        runnerId: `${this.runnerIdPrefix}${this.joins.length}`,
        audience: AUDIENCE,
        labels: join.labels,
      };
      return void response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify(answer));
    }
    const blob = /^\/api\/v1\/runners\/blobs\/(.+)$/.exec(url);
    if (method === 'PUT' && blob?.[1] !== undefined) {
      if (request.headers.authorization !== `Bearer ${this.plane.attemptToken}`)
        return void response.writeHead(401).end('{}');
      const key = `attempts/${blob[1]}`;
      this.blobs.set(key, body);
      return void response.writeHead(201).end(JSON.stringify({ key, bytes: body.length }));
    }
    const key = new URL(url, this.url).searchParams.get('key');
    const stored = method === 'GET' && key !== null ? this.blobs.get(key) : undefined;
    if (
      stored !== undefined &&
      request.headers.authorization === `Bearer ${this.plane.attemptToken}`
    ) {
      return void response.writeHead(200).end(stored);
    }
    response.writeHead(404).end('{}');
  }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}
