import { mkdir, readFile, readdir, rm } from 'node:fs/promises';
import { release, totalmem } from 'node:os';
import { join } from 'node:path';
import type {
  CommandResult,
  CommandSpec,
  ContainerEngine,
  ContainerName,
  ContainerStats,
  EngineContainer,
  EngineContainerSpec,
  ProxyAccess,
} from '../container-engine.ts';
import { CpuRate } from '../cpu-rate.ts';
import { ownIdentity } from '../own-identity.ts';
import { attemptMarker, requireHostPaths } from './attempt-environment.ts';
import { LaunchRecord, launch, recordFile, saveLaunchRecord } from './launch.ts';
import { ProcessContainer } from './process-container.ts';
import { processUsage } from './process-usage.ts';
import { runProcess } from './run-process.ts';
import { commandMarker, killStaleCommands } from './kill-stale-commands.ts';

/**
 * Attempts as plain host processes, for machines without Docker. There are no restrictions, and the
 * limits of `resources` do not apply, as `isolation` tells. Every path of a specification must be a
 * host path.
 */
export class ProcessContainerEngine implements ContainerEngine {
  readonly isolation = 'process';
  readonly workIdentity = ownIdentity();
  readonly #registryFolder: string;
  readonly #containers = new Map<string, ProcessContainer>();
  readonly #commands = new Set<string>();
  readonly #cpu = new CpuRate();

  /** `registryFolder`: folder of launch records below the runner's data folder. */
  constructor(options: { registryFolder: string }) {
    this.#registryFolder = options.registryFolder;
  }

  proxyOrigin(proxy: ProxyAccess): string {
    return `http://127.0.0.1:${proxy.hostPort}`;
  }

  async check(): Promise<{ version: string; image: string }> {
    if (process.platform === 'win32') throw new Error('the process engine needs Linux or macOS');
    await mkdir(this.#registryFolder, { recursive: true, mode: 0o700 });
    return { version: `${process.platform} ${release()}`, image: 'none' };
  }

  async start(spec: EngineContainerSpec): Promise<EngineContainer> {
    requireHostPaths(spec.mounts);
    await mkdir(this.#registryFolder, { recursive: true, mode: 0o700 });
    const path = recordFile(this.#registryFolder, spec.owner);
    const present = await readRecord(path);
    if (present) return this.#adopt(present, path);
    const { record, child } = await launch(spec, (made) => saveLaunchRecord(path, made)).catch(
      async (error: unknown) => {
        await rm(path, { force: true });
        throw error;
      },
    );
    const container = this.#adopt(record, path);
    child.once('exit', () => void container.checkEnd());
    return container;
  }

  async run(spec: CommandSpec): Promise<CommandResult> {
    requireHostPaths(spec.mounts);
    const marker = commandMarker(spec.owner.runnerId);
    this.#commands.add(marker);
    try {
      return await runProcess(spec, marker);
    } finally {
      this.#commands.delete(marker);
    }
  }

  async list(runnerId: string): Promise<EngineContainer[]> {
    await killStaleCommands(runnerId, this.#commands);
    const names = await readdir(this.#registryFolder).catch(() => []);
    const containers: EngineContainer[] = [];
    for (const name of names.filter((entry) => entry.endsWith('.json'))) {
      const path = join(this.#registryFolder, name);
      const record = await readRecord(path);
      if (record?.owner.runnerId !== runnerId) continue;
      const container = this.#adopt(record, path);
      await container.checkEnd();
      containers.push(container);
    }
    return containers;
  }

  async stats({ containerId, owner }: ContainerName): Promise<ContainerStats | null> {
    const usage = await processUsage(attemptMarker(owner));
    if (usage === null) return null;
    const sample = { cpuMs: usage.cpuMs, atMs: performance.now() };
    const cpuPercent = this.#cpu.percent(containerId, sample);
    const memoryPercent = (100 * usage.memoryBytes) / totalmem();
    return cpuPercent === null ? null : { cpuPercent, memoryPercent };
  }

  async close(): Promise<void> {
    for (const container of this.#containers.values()) container.detach();
    this.#containers.clear();
  }

  #adopt(record: LaunchRecord, path: string): ProcessContainer {
    const present = this.#containers.get(path);
    if (present) return present;
    const container = new ProcessContainer(record, path, () => this.#containers.delete(path));
    this.#containers.set(path, container);
    return container;
  }
}

/**
 * Reads a launch record; null when the file cannot be read. Throws on an invalid one, which may
 * hide a running engine.
 */
async function readRecord(path: string): Promise<LaunchRecord | null> {
  const text = await readFile(path, 'utf8').catch(() => null);
  if (text === null) return null;
  try {
    return LaunchRecord.parse(JSON.parse(text));
  } catch (error) {
    throw new Error(`unreadable launch record ${path}: remove it`, { cause: error });
  }
}
