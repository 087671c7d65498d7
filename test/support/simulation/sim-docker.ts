import type {
  CommandResult,
  CommandSpec,
  ContainerEngine,
  ContainerExit,
  ContainerOwner,
  EngineContainer,
  EngineContainerSpec,
} from '../../../runner/src/container/container-engine.ts';
import { leaseKey } from '../../../runner/src/connection/lease-ref.ts';
import type { EngineEvent } from '../../../runner/src/engine/agent-engine.ts';
import type { Random } from './random.ts';
import type { ProcessClock, SimHost } from './sim-host.ts';

/** As the product's supervisors: an older file says that a clock was set. */
const MAX_AGE_SHARE = 0.25;

/** What a container engine may suffer from, and who watches it. */
export type DockerWorld = {
  random: Random;
  /** While true the daemon answers no stop and no start. */
  daemonDown: (host: SimHost) => boolean;
  deadMan: boolean;
  /** How the next run of a declared check ends. */
  check(attemptId: string, command: string): Pick<CommandResult, 'exitCode' | 'timedOut'>;
  started(container: SimContainer): void;
  /** What runs in it said something, just now. */
  said(container: SimContainer): void;
  ended(container: SimContainer, why: string): void;
  removed(container: SimContainer): void;
};

/** A container on a host: it lives apart from the runner process and is killed by its dead-man. */
export class SimContainer {
  readonly id: string;
  readonly owner: ContainerOwner;
  readonly host: SimHost;
  readonly startedAtMs: number;
  /** What the engine inside has said, for any process that reads from an offset. */
  readonly log: EngineEvent[] = [];
  exit: ContainerExit | null = null;
  removed = false;
  /** Set by the agent inside; called when something was killed for memory, and at the end. */
  readonly watchers = new Set<() => void>();
  readonly #said: (container: SimContainer) => void;
  #disarm: () => void = () => undefined;

  constructor(owner: ContainerOwner, host: SimHost, said: (container: SimContainer) => void) {
    this.#said = said;
    this.id = `sim-${owner.attemptId}-${owner.epoch}`;
    this.owner = owner;
    this.host = host;
    this.startedAtMs = host.time.nowMs;
  }

  get running(): boolean {
    return this.exit === null;
  }

  say(event: EngineEvent): void {
    if (!this.running) return;
    this.log.push(event);
    this.#wake();
    this.#said(this);
  }

  #wake(): void {
    for (const watcher of Array.from(this.watchers)) watcher();
  }

  /** The supervisor counts on its own clock from each change of the deadline file. */
  arm(remainingMs: number, expired: () => void): void {
    this.#disarm();
    this.#disarm = this.host.after(remainingMs, expired);
  }

  end(exit: ContainerExit): void {
    if (!this.running) return;
    this.exit = exit;
    this.#disarm();
    this.#wake();
  }
}

/** All containers of one host, and the deadline files beside them. */
export class SimDocker {
  readonly host: SimHost;
  readonly world: DockerWorld;
  readonly containers = new Map<string, SimContainer>();
  readonly #deadlines = new Map<string, { remainingMs: number; atMs: number }>();

  constructor(host: SimHost, world: DockerWorld) {
    this.host = host;
    this.world = world;
  }

  writeDeadline(key: string, remainingMs: number): void {
    this.#deadlines.set(key, { remainingMs, atMs: this.host.localMs() });
    const container = this.containers.get(key);
    if (container?.running === true) this.#arm(container, remainingMs);
  }

  /** What is left at the first look: the file may have lain there since the last renewal. */
  #firstReadingMs(key: string): number {
    const found = this.#deadlines.get(key);
    if (found === undefined) return 0;
    const ageMs = Math.min(this.host.localMs() - found.atMs, found.remainingMs * MAX_AGE_SHARE);
    return found.remainingMs - ageMs;
  }

  dropDeadline(key: string): void {
    this.#deadlines.delete(key);
  }

  #arm(container: SimContainer, remainingMs: number): void {
    if (!this.world.deadMan) return;
    container.arm(remainingMs, () => this.kill(container, 'dead-man'));
  }

  create(owner: ContainerOwner): SimContainer {
    const key = leaseKey(owner);
    const known = this.containers.get(key);
    if (known !== undefined) return known;
    const container = new SimContainer(owner, this.host, this.world.said);
    this.containers.set(key, container);
    this.#arm(container, this.#firstReadingMs(key));
    this.world.started(container);
    return container;
  }

  kill(container: SimContainer, why: string, exit: Partial<ContainerExit> = {}): void {
    if (!container.running) return;
    container.end({ exitCode: 137, signal: null, oom: false, ...exit });
    this.world.ended(container, why);
  }

  remove(container: SimContainer): void {
    this.kill(container, 'removed');
    if (container.removed) return;
    container.removed = true;
    this.containers.delete(leaseKey(container.owner));
    this.world.removed(container);
  }

  /** Power off: nothing runs any more; stopped containers are still listed afterwards. */
  powerOff(): void {
    for (const container of this.containers.values()) this.kill(container, 'host went down');
  }
}

const BEHIND = new WeakMap<object, SimContainer>();

/** The container behind a handle that the runner's code passes around. */
export function containerBehind(handle: object): SimContainer {
  const container = BEHIND.get(handle);
  if (container === undefined) throw new Error('not a simulated container');
  return container;
}

/** The container engine as one runner process sees it. */
export class SimContainerEngine implements ContainerEngine {
  readonly isolation = 'docker';
  readonly workIdentity = null;
  readonly #docker: SimDocker;
  readonly #clock: ProcessClock;
  /** A reaper that sees nothing: for the mutation. */
  readonly #blind: boolean;

  constructor(docker: SimDocker, clock: ProcessClock, { blind }: { blind: boolean }) {
    this.#docker = docker;
    this.#clock = clock;
    this.#blind = blind;
  }

  proxyOrigin(): string {
    return 'http://127.0.0.1:9';
  }

  async check(): Promise<{ version: string; image: string }> {
    return { version: '0', image: 'none' };
  }

  /** The daemon goes on with what it was asked even when the asking process dies. */
  start(spec: EngineContainerSpec): Promise<EngineContainer> {
    const { host, world } = this.#docker;
    const { random } = world;
    const fails = world.daemonDown(host) || random.chance(0.01);
    const reaches = !fails || random.chance(0.5);
    if (!this.#clock.alive) return new Promise(() => undefined);
    return new Promise((resolve, reject) => {
      host.after(random.int(30, 900), () => {
        const container = reaches ? this.#docker.create(spec.owner) : null;
        if (!this.#clock.alive) return;
        if (fails || container === null) reject(new Error('the daemon gave no answer'));
        else resolve(this.#handle(container));
      });
    });
  }

  /** Declared checks, and the look at what they leave: nothing. */
  async run({ owner, purpose, argv, signal }: CommandSpec): Promise<CommandResult> {
    const { world, host } = this.#docker;
    const isCheck = purpose === 'check';
    if (!isCheck && purpose !== 'check-tree')
      throw new Error('no such commands are run in a simulated container');
    const { random } = world;
    await new Promise<void>((resolve) => {
      const lastsMs = isCheck ? random.int(300, 8_000) : random.int(20, 300);
      const cancel = this.#clock.after(lastsMs, resolve);
      const stop = () => {
        cancel();
        resolve();
      };
      signal?.addEventListener('abort', stop, { once: true });
    });
    if (world.daemonDown(host) || random.chance(0.01)) throw new Error('the daemon gave no answer');
    const streams = { stdout: '', stderr: '', outputExceeded: false };
    if (signal?.aborted === true) return { ...streams, exitCode: 137, timedOut: false };
    const passed = { exitCode: 0, timedOut: false };
    return { ...streams, ...(isCheck ? world.check(owner.attemptId, argv.at(-1) ?? '') : passed) };
  }

  async list(runnerId: string): Promise<EngineContainer[]> {
    if (this.#blind) return [];
    return [...this.#docker.containers.values()]
      .filter((container) => container.owner.runnerId === runnerId)
      .map((container) => this.#handle(container));
  }

  async close(): Promise<void> {
    return undefined;
  }

  #handle(container: SimContainer): EngineContainer {
    const docker = this.#docker;
    const clock = this.#clock;
    const exited = new Promise<ContainerExit>((resolve) => {
      const look = () => {
        if (container.exit === null) return;
        container.watchers.delete(look);
        const { exit } = container;
        clock.after(docker.world.random.int(5, 400), () => resolve(exit));
      };
      container.watchers.add(look);
      look();
    });
    const handle: EngineContainer = {
      containerId: container.id,
      owner: container.owner,
      exited,
      async *stdout() {
        await exited;
        yield new Uint8Array(0);
      },
      onOom: () => undefined,
      stderrTail: async () => '',
      write: async () => undefined,
      stop: () => stop(docker, clock, container),
      remove: async () => {
        if (clock.alive) docker.remove(container);
      },
    };
    BEHIND.set(handle, container);
    return handle;
  }
}

function stop(
  docker: SimDocker,
  clock: ProcessClock,
  container: SimContainer,
): Promise<ContainerExit> {
  const { random } = docker.world;
  if (!clock.alive) return new Promise(() => undefined);
  const fails = container.running && (docker.world.daemonDown(docker.host) || random.chance(0.02));
  return new Promise((resolve, reject) => {
    docker.host.after(random.int(20, 1_500), () => {
      if (!fails) docker.kill(container, 'stopped', { exitCode: 0 });
      if (!clock.alive) return;
      if (container.exit === null) reject(new Error('the daemon does not answer'));
      else resolve(container.exit);
    });
  });
}
