import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deferred } from '@switchyard/shared/deferred';
import { packTar } from '../container/docker/image/testing/pack-tar.ts';
import { defaultSandboxImage } from '../container/docker/image/default-sandbox-image.ts';

/**
 * As large as the real daemon accepts: `dockerode` puts a container's whole specification into the
 * request's address.
 */
const MAX_HEADER_BYTES = 1024 * 1024;
const FROM_HIDDEN = `FROM ${defaultSandboxImage}\n`;

/** Where DOCKER_HOST or the usual place has the daemon's socket. */
function daemonSocket(): string {
  const host = process.env['DOCKER_HOST'] ?? 'unix:///var/run/docker.sock';
  if (!host.startsWith('unix://')) throw new Error('this test needs a daemon at a unix socket');
  return host.slice('unix://'.length);
}

/**
 * The real daemon without its sandbox image: that is hidden until a build has ended. A build is
 * made from the hidden image, under another name, and its end is held back until `release`.
 */
export class ImagelessDaemon {
  readonly #socket = daemonSocket();
  readonly #folder: string;
  readonly #released = deferred<void>();
  readonly #sockets = new Set<Duplex>();
  readonly #server = createServer({ maxHeaderSize: MAX_HEADER_BYTES }, (request, response) => {
    this.#serve(request, response).catch(() => response.destroy());
  });
  /** Tag of the image that is really built. */
  readonly tag: string;
  #isBuilt = false;
  builds = 0;
  /** Pieces of build contexts that came. */
  contextParts = 0;
  /** A build has ended and waits for `release`. */
  isWaiting = false;

  private constructor(folder: string, tag: string) {
    this.#folder = folder;
    this.tag = tag;
    this.#server.on('connection', (socket) => this.#sockets.add(socket));
    this.#server.on('upgrade', (request, socket, head) => this.#tunnel(request, socket, head));
  }

  static async start(tag: string): Promise<ImagelessDaemon> {
    const folder = await mkdtemp(join(tmpdir(), 'swy-daemon-'));
    const daemon = new ImagelessDaemon(folder, tag);
    daemon.#server.listen(daemon.#path);
    await once(daemon.#server, 'listening');
    return daemon;
  }

  get #path(): string {
    return join(this.#folder, 'docker.sock');
  }

  get dockerHost(): string {
    return `unix://${this.#path}`;
  }

  /** Shows the image, as if somebody else had built it. */
  reveal(): void {
    this.#isBuilt = true;
  }

  /** Hides the image again, as if somebody had removed it. */
  hide(): void {
    this.#isBuilt = false;
  }

  /** Lets a build end. */
  release(): void {
    this.#released.resolve();
  }

  async close(): Promise<void> {
    this.release();
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://daemon');
    const path = decodeURIComponent(url.pathname);
    if (!this.#isBuilt && path === `/images/${defaultSandboxImage}/json`) {
      response.writeHead(404, { 'content-type': 'application/json' });
      return void response.end(`{"message":"No such image: ${defaultSandboxImage}"}`);
    }
    const isBuild = request.method === 'POST' && path === '/build';
    if (isBuild) {
      this.builds += 1;
      url.searchParams.set('t', this.tag);
    }
    const { method, headers } = request;
    const to = { socketPath: this.#socket, path: `${url.pathname}${url.search}`, method };
    // Half a gigabyte is a test of its own: here the daemon builds from the image that it hides.
    const onward = httpRequest(isBuild ? to : { ...to, headers });
    if (isBuild) {
      for await (const _part of request) this.contextParts += 1;
      onward.end(packTar({ name: 'Dockerfile', content: Buffer.from(FROM_HIDDEN) }));
    } else request.pipe(onward);
    response.on('close', () => onward.destroy());
    const [answer] = (await once(onward, 'response')) as [IncomingMessage];
    response.writeHead(answer.statusCode ?? 500, answer.headers);
    // Somebody may wait for the head of an answer that has no body yet.
    response.flushHeaders();
    answer.pipe(response, { end: !isBuild });
    if (!isBuild) return;
    await once(answer, 'end');
    this.isWaiting = true;
    await this.#released.promise;
    this.#isBuilt = true;
    response.end();
  }

  /** Attached streams are no HTTP any more. */
  #tunnel(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const onward = connect(this.#socket);
    this.#sockets.add(onward);
    const lines = [`${request.method} ${request.url} HTTP/1.1`];
    for (let at = 0; at < request.rawHeaders.length; at += 2)
      lines.push(`${request.rawHeaders[at]}: ${request.rawHeaders[at + 1]}`);
    onward.write(`${lines.join('\r\n')}\r\n\r\n`);
    onward.write(head);
    socket.pipe(onward).pipe(socket);
    socket.on('error', () => onward.destroy());
    onward.on('error', () => socket.destroy());
  }
}
