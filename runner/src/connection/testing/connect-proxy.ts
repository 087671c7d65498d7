import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

/** A proxy for CONNECT on a real port; the only one who knows where the hosts of a test are. */
export class ConnectProxy {
  /** Ports on the loopback by `host:port`. */
  readonly hosts = new Map<string, number>();
  /** What was asked for, and with which Proxy-Authorization. */
  readonly asked: { target: string; authorization: string | undefined }[] = [];
  /** `user:password` that everybody has to have. */
  credentials: string | null = null;
  /** Takes connections and says nothing. */
  isSilent = false;
  readonly #server: Server;
  readonly #open = new Set<Duplex>();

  constructor() {
    this.#server = createServer((_request, response) => void response.writeHead(405).end('no'));
    this.#server.on('connection', (socket) => {
      this.#open.add(socket);
      socket.on('close', () => this.#open.delete(socket));
    });
    this.#server.on('connect', ({ url: target = '', headers }, socket) => {
      const authorization = headers['proxy-authorization'];
      this.asked.push({ target, authorization });
      socket.on('error', () => socket.destroy());
      if (this.isSilent) return void socket.resume().on('end', () => socket.end());
      const wanted = `Basic ${Buffer.from(this.credentials ?? '').toString('base64')}`;
      if (this.credentials !== null && authorization !== wanted) {
        const says = 'HTTP/1.1 407 Who are you\r\nproxy-authenticate: Basic realm="x"\r\n';
        return void socket.end(`${says}connection: close\r\ncontent-length: 4\r\n\r\nnope`);
      }
      this.#join(socket, this.hosts.get(target));
    });
  }

  /** Connections that are open to it. */
  get open(): number {
    return this.#open.size;
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    for (const socket of this.#open) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #join(socket: Duplex, port: number | undefined): void {
    if (port === undefined) return void socket.end('HTTP/1.1 403 Not there\r\n\r\n');
    const upstream = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connected\r\n\r\n');
      upstream.pipe(socket).pipe(upstream);
    });
    upstream.on('error', () => socket.destroy());
    socket.on('close', () => upstream.destroy());
  }
}
