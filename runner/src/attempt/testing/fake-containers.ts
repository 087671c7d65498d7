import type {
  CommandResult,
  CommandSpec,
  ContainerEngine,
  ContainerExit,
  ContainerOwner,
  EngineContainer,
  EngineContainerSpec,
} from '../../container/container-engine.ts';
import { runAsProcess } from '../../workspace/testing/run-as-process.ts';

export class FakeContainer implements EngineContainer {
  readonly containerId: string;
  readonly owner: ContainerOwner;
  readonly exited: Promise<ContainerExit>;
  readonly graces: number[] = [];
  removed = false;
  stderr = '';
  oomListeners: (() => void)[] = [];
  /** While true every stop fails, as with a daemon that does not answer. */
  stuck = false;
  exit: (exit: ContainerExit) => void = () => undefined;

  constructor(owner: ContainerOwner) {
    this.owner = owner;
    this.containerId = `container-${owner.attemptId}-${owner.epoch}`;
    this.exited = new Promise((resolve) => {
      this.exit = resolve;
    });
  }

  /** The fake engine speaks through its session: nothing is ever read here. */
  async *stdout(): AsyncIterable<Uint8Array> {
    await this.exited;
    yield new Uint8Array(0);
  }

  onOom(listener: () => void): void {
    this.oomListeners.push(listener);
  }

  async stderrTail(): Promise<string> {
    return this.stderr;
  }

  async write(): Promise<void> {
    return undefined;
  }

  async stop(graceMs: number): Promise<ContainerExit> {
    if (this.stuck) throw new Error('the daemon does not answer');
    this.graces.push(graceMs);
    this.exit({ exitCode: 0, signal: null, oom: false });
    return await this.exited;
  }

  async remove(): Promise<void> {
    this.removed = true;
  }
}

/** Containers without a container; git commands and hooks really run, as plain processes. */
export class FakeContainers implements ContainerEngine {
  isolation: ContainerEngine['isolation'] = 'process';
  readonly workIdentity = null;
  readonly started: FakeContainer[] = [];
  readonly specs: EngineContainerSpec[] = [];
  readonly commands: CommandSpec[] = [];
  startError: Error | null = null;
  /** What becomes of a command before it runs; it may throw, like a daemon that does not answer. */
  prepareCommand: (spec: CommandSpec) => CommandSpec = (spec) => spec;
  stats?: ContainerEngine['stats'];

  proxyOrigin(): string {
    return 'http://127.0.0.1:9';
  }

  async check() {
    return { version: '0', image: 'none' };
  }

  async start(spec: EngineContainerSpec): Promise<EngineContainer> {
    if (this.startError !== null) throw this.startError;
    const container = new FakeContainer(spec.owner);
    this.specs.push(spec);
    this.started.push(container);
    return container;
  }

  async run(spec: CommandSpec): Promise<CommandResult> {
    this.commands.push(spec);
    const { signal, workingDirectory } = spec;
    const options = { readsByMode: true, ...(signal === undefined ? {} : { signal }) };
    return await runAsProcess(workingDirectory, options)(this.prepareCommand(spec));
  }

  async list(runnerId: string): Promise<EngineContainer[]> {
    return this.started.filter(({ removed, owner }) => !removed && owner.runnerId === runnerId);
  }

  async close(): Promise<void> {
    return undefined;
  }
}
