import { connect, createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

/** A TCP proxy as some companies have it: requests pass, and a socket's handshake is refused. */
export class NoUpgradeProxy {
  readonly #target: () => string;
  readonly #server: Server;
  readonly #open = new Set<Socket>();
  #refusing = true;
  refused = 0;
  upgraded = 0;

  /** `target`: the address that is passed on to. */
  constructor(target: () => string) {
    this.#target = target;
    this.#server = createServer((client) => this.#accept(client));
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** From now on handshakes pass; with `false` what is open ends and none passes any more. */
  allowUpgrades(allow: boolean): void {
    this.#refusing = !allow;
    if (!allow) for (const socket of this.#open) socket.destroy();
  }

  async close(): Promise<void> {
    for (const socket of this.#open) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #accept(client: Socket): void {
    this.#keep(client);
    client.once('data', (first: Buffer) => {
      const upgrade = /^upgrade: *websocket/im.test(first.toString('latin1'));
      if (upgrade && this.#refusing) {
        this.refused += 1;
        client.end('HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\nconnection: close\r\n\r\n');
        return;
      }
      if (upgrade) this.upgraded += 1;
      const { hostname, port } = new URL(this.#target());
      const server = connect(Number(port), hostname);
      this.#keep(server);
      server.write(first);
      client.pipe(server).pipe(client);
      client.once('close', () => server.destroy());
      server.once('close', () => client.destroy());
    });
  }

  #keep(socket: Socket): void {
    this.#open.add(socket);
    // Its end is what matters, and that comes as a close.
    socket.on('error', () => undefined);
    socket.once('close', () => this.#open.delete(socket));
  }
}
