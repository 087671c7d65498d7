import { commandText } from '@switchyard/shared/text/command-text';
import Docker from 'dockerode';
import type {
  CommandResult,
  CommandSpec,
  ContainerEngine,
  ContainerName,
  ContainerOwner,
  ContainerStats,
  Dialogue,
  DialogueSpec,
  EngineContainer,
  EngineContainerSpec,
  Locks,
  Mount,
  ProxyAccess,
  WorkIdentity,
} from '../container-engine.ts';
import { SHIM_PORT } from '../container-engine.ts';
import { CpuRate } from '../cpu-rate.ts';
import { SERVICE_LABEL, containerName, ownerFromLabels } from './container-labels.ts';
import { containerIdentity } from './container-identity.ts';
import { containerUsage } from './container-usage.ts';
import { DockerContainer } from './docker-container.ts';
import {
  DockerError,
  daemonAddress,
  dockerCall,
  isConflict,
  isImageMissing,
  isMissing,
} from './daemon/docker-call.ts';
import { DockerDialogue } from './daemon/docker-dialogue.ts';
import { ExitWatch } from './exit-watch.ts';
import { engineOptions } from './engine-options.ts';
import type { ProxyReach } from './hardened-host-config.ts';
import { containerLocks, levelOfRuntime, levelsOfRuntimes } from './container-locks.ts';
import { isAllowedImage, requireAllowedImage, requireAllowedMounts } from './require-allowed.ts';
import { protectionGaps } from './protection-gaps.ts';
import { createCommand, removeContainer, runCommand } from './daemon/run-command.ts';
import { otherTags } from './image/other-tags.ts';

/** Uid and gid inside when the host has none, such as Windows. */
const SANDBOX_ID = 10_001;

export type DockerEngineOptions = {
  /** Image that check() requires. */
  image: string;
  /** Images that may be used besides `image`: exact names, or a prefix and `*`. */
  allowedImages?: readonly string[];
  /** Host folders below which every mount must be; undefined: anywhere. */
  mountRoots?: readonly string[];
  /** OCI runtime of the daemon, such as `runsc`; null: the daemon's default. */
  runtime?: string | null;
  /** How containers reach the model proxy; by default chosen by the host's system. */
  reach?: ProxyReach;
  /** Docker client; by default that of DOCKER_HOST. */
  docker?: Docker;
  /** Called about failures that are retried. */
  warn?: (message: string) => void;
};

/** The daemon's information about itself, requested once. */
type DaemonFacts = Parameters<typeof levelOfRuntime>[0] & Parameters<typeof protectionGaps>[0];

type Checked = Awaited<ReturnType<ContainerEngine['check']>>;
type FoundContainer = { container: Docker.Container; status: string };

/** One restricted container for each attempt, on a Docker daemon. */
export class DockerContainerEngine implements ContainerEngine {
  readonly isolation = 'docker';
  readonly workIdentity: WorkIdentity;
  readonly #docker: Docker;
  readonly #image: string;
  readonly #runtime: string | null;
  readonly #allowedImages: readonly string[] | null;
  readonly #mountRoots: readonly string[] | null;
  #daemon: DaemonFacts | null = null;
  readonly #reach: ProxyReach;
  readonly #user: string;
  readonly #watch: ExitWatch;
  readonly #attached = new Set<DockerContainer>();
  readonly #commands = new Set<string>();
  readonly #cpu = new CpuRate();
  readonly #warn: (message: string) => void;

  constructor(options: DockerEngineOptions) {
    this.#docker = options.docker ?? new Docker();
    this.#image = options.image;
    this.#runtime = options.runtime ?? null;
    this.#allowedImages = options.allowedImages ?? null;
    this.#mountRoots = options.mountRoots ?? null;
    this.#reach = options.reach ?? (process.platform === 'linux' ? 'socket' : 'host-alias');
    this.workIdentity = containerIdentity();
    const uid = this.workIdentity?.uid ?? process.getuid?.() ?? SANDBOX_ID;
    const gid = this.workIdentity?.gid ?? process.getgid?.() ?? SANDBOX_ID;
    this.#user = `${uid}:${gid}`;
    this.#warn = options.warn ?? (() => undefined);
    this.#watch = new ExitWatch(this.#docker, this.#warn);
  }

  proxyOrigin(_proxy: ProxyAccess): string {
    return `http://127.0.0.1:${SHIM_PORT}`;
  }

  async check(): Promise<Checked> {
    const version = await dockerCall('version', () => this.#docker.version());
    let labels: Checked['labels'];
    try {
      const image = this.#docker.getImage(this.#image);
      labels = (await dockerCall('inspect image', () => image.inspect())).Config.Labels ?? {};
    } catch (error) {
      if (!isMissing(error)) throw error;
      const others = await otherTags(this.#docker, this.#image);
      throw this.#imageMissing(this.#image, error, others);
    }
    const info: DaemonFacts = await dockerCall('info', () => this.#docker.info());
    this.#daemon = info;
    await this.#watch.ready();
    return { version: version.Version, image: this.#image, labels, gaps: protectionGaps(info) };
  }

  levelOf(runtime: string | undefined): ReturnType<typeof levelOfRuntime> {
    return levelOfRuntime(this.#daemon, runtime ?? this.#runtime, this.#reach);
  }

  levels(): ReturnType<typeof levelsOfRuntimes> {
    return levelsOfRuntimes(this.#daemon, this.#runtime, this.#reach);
  }

  allowsImage(image: string): boolean {
    return (
      this.#allowedImages === null || isAllowedImage(image, [this.#image, ...this.#allowedImages])
    );
  }

  locksOf({ containerId }: ContainerName): Promise<Locks> {
    return containerLocks(this.#docker, containerId, this.#daemon);
  }

  async start(spec: EngineContainerSpec): Promise<EngineContainer> {
    await this.#requireAllowed(spec);
    const [{ container, status }] = await Promise.all([this.#create(spec), this.#watch.ready()]);
    const engineContainer = this.#adopt(container, spec.owner);
    if (status !== 'created') {
      if (hasEnded(status)) await this.#watch.readEnd(container.id);
      return engineContainer;
    }
    try {
      await dockerCall('start container', () => container.start());
    } catch (error) {
      await engineContainer.remove();
      throw error;
    }
    return engineContainer;
  }

  async run(spec: CommandSpec): Promise<CommandResult> {
    const name = await this.#claim(spec);
    try {
      return await runCommand(this.#docker, spec, { user: this.#user, runtime: this.#runtime });
    } catch (error) {
      throw isImageMissing(error) ? this.#imageMissing(spec.image, error) : error;
    } finally {
      this.#commands.delete(name);
    }
  }

  async converse(spec: DialogueSpec): Promise<Dialogue> {
    const name = await this.#claim(spec);
    const settings = { user: this.#user, runtime: this.#runtime, answers: true };
    try {
      const container = await createCommand(this.#docker, spec, settings);
      return await DockerDialogue.open(container, () => this.#commands.delete(name));
    } catch (error) {
      this.#commands.delete(name);
      throw isImageMissing(error) ? this.#imageMissing(spec.image, error) : error;
    }
  }

  async list(runnerId: string): Promise<EngineContainer[]> {
    await this.#watch.ready();
    const found = await dockerCall('list containers', () =>
      this.#docker.listContainers({
        all: true,
        filters: { label: [SERVICE_LABEL, `switchyard.runner_id=${runnerId}`] },
      }),
    );
    const containers: EngineContainer[] = [];
    for (const summary of found) {
      const owner = ownerFromLabels(summary.Labels);
      if (!owner) continue;
      if (summary.Labels['switchyard.role'] !== 'engine') {
        await this.#removeStaleCommand(summary);
        continue;
      }
      containers.push(this.#adopt(this.#docker.getContainer(summary.Id), owner));
      if (hasEnded(summary.State)) await this.#watch.readEnd(summary.Id);
    }
    return containers;
  }

  async stats({ containerId }: ContainerName): Promise<ContainerStats | null> {
    const usage = await containerUsage(this.#docker, containerId);
    if (usage === null) return null;
    const sample = { cpuMs: usage.cpuMs, atMs: performance.now() };
    const cpuPercent = this.#cpu.percent(containerId, sample);
    return cpuPercent === null ? null : { cpuPercent, memoryPercent: usage.memoryPercent };
  }

  async close(): Promise<void> {
    this.#watch.close();
    for (const container of this.#attached) container.detach();
    this.#attached.clear();
  }

  /** Reserves the name of a command; it is released when its container is removed. */
  async #claim(spec: DialogueSpec): Promise<string> {
    await this.#requireAllowed(spec);
    const name = containerName(spec.owner, spec.purpose);
    if (this.#commands.has(name)) throw new Error(`command ${name} already runs`);
    this.#commands.add(name);
    return name;
  }

  /** Throws unless image and mounts are allowed by this host's operator, whoever requests them. */
  async #requireAllowed(spec: { image: string; mounts: readonly Mount[] }): Promise<void> {
    if (this.#allowedImages !== null)
      requireAllowedImage(spec.image, [this.#image, ...this.#allowedImages]);
    if (this.#mountRoots !== null) await requireAllowedMounts(spec.mounts, this.#mountRoots);
  }

  /** Removes a command of a dead runner, whose result nobody awaits. */
  async #removeStaleCommand(summary: Docker.ContainerInfo): Promise<void> {
    if (summary.Names.some((name) => this.#commands.has(name.replace(/^\//, '')))) return;
    await removeContainer(this.#docker.getContainer(summary.Id));
  }

  #adopt(container: Docker.Container, owner: ContainerOwner): DockerContainer {
    const adopted = new DockerContainer(container, owner, this.#watch.watch(container.id));
    this.#attached.add(adopted);
    void adopted.exited.then(() => this.#attached.delete(adopted));
    return adopted;
  }

  async #create(spec: EngineContainerSpec): Promise<FoundContainer> {
    const name = containerName(spec.owner);
    try {
      const container = await dockerCall(`create ${name}`, () =>
        this.#docker.createContainer(
          engineOptions(name, spec, {
            user: this.#user,
            reach: this.#reach,
            runtime: this.#runtime,
          }),
        ),
      );
      return { container, status: 'created' };
    } catch (error) {
      if (isConflict(error)) return this.#findOwn(name, spec.owner);
      throw isImageMissing(error) ? this.#imageMissing(spec.image, error) : error;
    }
  }

  /** Finds the container under a name that is in use; throws when it belongs to another runner. */
  async #findOwn(name: string, owner: ContainerOwner): Promise<FoundContainer> {
    const found = await dockerCall(`inspect ${name}`, () =>
      this.#docker.getContainer(name).inspect(),
    );
    if (ownerFromLabels(found.Config.Labels)?.runnerId !== owner.runnerId) {
      throw new DockerError(
        `docker: container ${name} belongs to another runner; docker rm -f ${name} if that one is gone`,
        409,
        undefined,
      );
    }
    return { container: this.#docker.getContainer(found.Id), status: found.State.Status };
  }

  #imageMissing(image: string, cause: unknown, others: readonly string[] = []): DockerError {
    const only = others.length === 0 ? '' : `, only ${others.join(', ')} of another version`;
    return new DockerError(
      `docker: image ${image} is not on ${daemonAddress(this.#docker)}${only}; ${wayTo(image)}`,
      404,
      cause,
    );
  }
}

/**
 * Advice on a missing image: the product's own is built; any other must be provided by whoever
 * named it.
 */
function wayTo(image: string): string {
  return image.startsWith('switchyard-sandbox:')
    ? `run: ${commandText('runner build-image', process.env)}`
    : `run: docker pull ${image}, or start the runner with --build-image`;
}

/**
 * Whether a container has ended; a created one that was never started counts, because nobody will
 * start it.
 */
function hasEnded(status: string): boolean {
  return status === 'exited' || status === 'dead' || status === 'created';
}
