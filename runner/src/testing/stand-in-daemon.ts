import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Docker from 'dockerode';

/**
 * A fake Docker daemon with the requests that a runner makes before it has a container. Tests start
 * and stop it with `up` and `down`.
 */
export class StandInDaemon {
  /** By name. */
  readonly images = new Map<string, { labels: Record<string, string> }>();
  info: Record<string, unknown> = {
    Architecture: 'x86_64',
    DefaultRuntime: 'runc',
    Runtimes: { runc: {} },
    SecurityOptions: ['name=seccomp,profile=builtin'],
  };
  readonly docker: Docker;
  readonly #folder: string;
  readonly #server = createServer((request, response) => this.#serve(request, response));
  /** What it says instead of `info`. */
  trouble: string | null = null;
  /** Image names that were asked for. */
  looks = 0;
  /** Whoever asks for `info` loses the stream of events first. */
  cutsEvents = false;
  cuts = 0;
  readonly #events = new Set<ServerResponse>();

  private constructor(folder: string) {
    this.#folder = folder;
    this.docker = new Docker({ socketPath: this.#path });
  }

  /** No daemon answers before `up`. */
  static async make(): Promise<StandInDaemon> {
    return new StandInDaemon(await mkdtemp(join(tmpdir(), 'swy-daemon-')));
  }

  async up(): Promise<void> {
    this.#server.listen(this.#path);
    await once(this.#server, 'listening');
  }

  async down(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  async dispose(): Promise<void> {
    await this.down();
    await rm(this.#folder, { recursive: true, force: true });
  }

  get #path(): string {
    return join(this.#folder, 'docker.sock');
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://daemon').pathname);
    const answer = (status: number, body: unknown) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    };
    if (path === '/events') {
      response.writeHead(200, { 'content-type': 'application/json' });
      this.#events.add(response);
      response.once('close', () => this.#events.delete(response));
      return response.flushHeaders();
    }
    if (path === '/version') return answer(200, { Version: '0.0' });
    if (path === '/info' && this.cutsEvents && this.#events.size > 0) {
      this.cuts += 1;
      const cut = [...this.#events].map((events) => once(events, 'close'));
      for (const events of this.#events) events.destroy();
      return void Promise.all(cut).then(() => setImmediate(() => answer(200, this.info)));
    }
    if (path === '/info' && this.trouble !== null) return answer(500, { message: this.trouble });
    if (path === '/info') return answer(200, this.info);
    if (path === '/images/json') return answer(200, []);
    const [, name] = /^\/images\/(.*)\/json$/.exec(path) ?? [];
    if (name === undefined) return answer(404, { message: 'page not found' });
    this.looks += 1;
    const image = this.images.get(name);
    if (image === undefined) return answer(404, { message: `No such image: ${name}` });
    answer(200, { Id: 'sha256:1', Config: { Labels: image.labels } });
  }
}
