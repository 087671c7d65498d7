import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { type Edge, startEdge } from '../workerd/start-edge.ts';

const SHOWN_LINES = 40;

/** A control plane in workerd, ended and started again behind one port on the same rows. */
export class EdgePlane {
  readonly #settings: Record<string, string>;
  readonly #sockets = new Set<Socket>();
  #edge: Edge | null = null;
  #door: Server | null = null;
  #ready = false;

  constructor(settings: Readonly<Record<string, string>>) {
    this.#settings = { ...settings };
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#door?.address() as AddressInfo | null)?.port ?? 1}`;
  }

  get token(): string | undefined {
    return this.#edge?.writeToken;
  }

  get isReady(): boolean {
    return this.#ready;
  }

  get output(): string {
    return this.#edge?.logs().slice(-SHOWN_LINES).join('\n') ?? '';
  }

  /** The runtime starts what ends by itself again. */
  assertNotCrashed(): void {}

  async start(): Promise<void> {
    if (this.#edge === null) {
      this.#edge = await startEdge({ settings: this.#settings });
      await this.#openDoor();
    } else await this.#edge.resume();
    this.#ready = true;
  }

  /** Every object, socket and request ends; the rows stay. */
  async end(): Promise<void> {
    this.#ready = false;
    await this.#edge?.pause();
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Takes every object out of memory; sockets stay. */
  async evict(): Promise<void> {
    const objects = ['pool', 'coordinator', 'hub'] as const;
    await Promise.all(objects.map(async (object) => this.#edge?.evict(object)));
  }

  async close(): Promise<void> {
    this.#ready = false;
    for (const socket of this.#sockets) socket.destroy();
    this.#door?.close();
    await this.#edge?.close();
  }

  async #openDoor(): Promise<void> {
    const door = createServer((from) => {
      const to = connect(Number(new URL(this.#edge?.url ?? '').port), '127.0.0.1');
      for (const [one, other] of [
        [from, to],
        [to, from],
      ] as const) {
        this.#sockets.add(one);
        one.pipe(other);
        one.on('error', () => other.destroy());
        one.on('close', () => {
          this.#sockets.delete(one);
          other.destroy();
        });
      }
    });
    await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve));
    this.#door = door;
  }
}
