import type { Isolation } from '@switchyard/shared/sandbox/isolation';
import type {
  CommandResult,
  CommandSpec,
  ContainerEngine,
  ContainerName,
  ContainerStats,
  EngineContainer,
  EngineContainerSpec,
  ProxyAccess,
  WorkIdentity,
} from './container-engine.ts';

/**
 * An isolation that may change while the runner works. New attempts use the present engine; earlier
 * ones, of this or a former process, are still found.
 */
export class SwitchingEngine implements ContainerEngine {
  #present: ContainerEngine;
  readonly #all: Map<Isolation, ContainerEngine>;

  /** `others`: engines in which attempts of a former process may run. */
  constructor(present: ContainerEngine, others: readonly ContainerEngine[]) {
    this.#present = present;
    this.#all = new Map([...others, present].map((engine) => [engine.isolation, engine]));
  }

  /** Makes new attempts use this engine. */
  switchTo(engine: ContainerEngine): void {
    this.#all.set(engine.isolation, engine);
    this.#present = engine;
  }

  get isolation(): Isolation {
    return this.#present.isolation;
  }

  get workIdentity(): WorkIdentity {
    return this.#present.workIdentity;
  }

  pinned(isolation: Isolation = this.isolation): ContainerEngine {
    return this.#all.get(isolation) ?? this.#present;
  }

  proxyOrigin(proxy: ProxyAccess): string {
    return this.#present.proxyOrigin(proxy);
  }

  check(): ReturnType<ContainerEngine['check']> {
    return this.#present.check();
  }

  start(spec: EngineContainerSpec): Promise<EngineContainer> {
    return this.#present.start(spec);
  }

  levelOf(runtime: string | undefined): ReturnType<NonNullable<ContainerEngine['levelOf']>> {
    return this.#present.levelOf?.(runtime) ?? null;
  }

  levels(): ReturnType<NonNullable<ContainerEngine['levels']>> {
    return this.#present.levels?.() ?? { default: 'process', runtimes: {} };
  }

  allowsImage(image: string): boolean {
    return this.#present.allowsImage?.(image) ?? true;
  }

  run(spec: CommandSpec): Promise<CommandResult> {
    return this.#present.run(spec);
  }

  async list(runnerId: string): Promise<EngineContainer[]> {
    const lists = [...this.#all.values()].map((engine) => engine.list(runnerId));
    return (await Promise.all(lists)).flat();
  }

  async stats(container: ContainerName): Promise<ContainerStats | null> {
    const isolation = isProcess(container) ? 'process' : 'docker';
    return (await this.#all.get(isolation)?.stats?.(container)) ?? null;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#all.values()].map((engine) => engine.close()));
  }
}

/**
 * Whether a container is a plain process: these have names given here, others those of the daemon.
 */
function isProcess({ containerId }: ContainerName): boolean {
  return containerId.startsWith('process-');
}

/** The unchanging engine for new attempts, or for those that began with an isolation. */
export function pinnedEngine(containers: ContainerEngine, isolation?: Isolation): ContainerEngine {
  return containers.pinned?.(isolation) ?? containers;
}
