import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { accessRoot } from './attempt/mounts/access-root.ts';
import type { RunOptions } from './run-options.ts';
import { type Log, messageOf } from './connection/log.ts';
import type { ContainerEngine } from './container/container-engine.ts';
import { DockerContainerEngine } from './container/docker/docker-engine.ts';
import { defaultSandboxImage, engineVersionOf } from './container/docker/image/sandbox-image.ts';
import { ProcessContainerEngine } from './container/process/process-engine.ts';
import { hostEngineVersion } from './engine/codex/binary.ts';

/** What `npm run sandbox:build` makes, whatever its content. */
const OWN_BUILDS = 'switchyard-sandbox:*';

export type ChosenSandbox = {
  containers: ContainerEngine;
  image: string;
  /** Of the engine in it; null where only a start would tell. */
  engineVersion: string | null;
  /** Shown wherever this runner is shown. */
  warnings: string[];
};

/** The isolation that was asked for by name cannot be had on this machine. */
export class SandboxMissing extends Error {
  constructor(cause: unknown) {
    super(
      `--sandbox docker: ${messageOf(cause)}. To work without isolation choose --sandbox process`,
      { cause },
    );
    this.name = 'SandboxMissing';
  }
}

/**
 * Docker when a daemon answers and the image is there, else plain processes with a warning that
 * stays visible. Throws `SandboxMissing` when Docker was asked for by name and is not usable.
 */
export async function chooseSandbox(options: RunOptions, log: Log): Promise<ChosenSandbox> {
  const image = options.image ?? defaultSandboxImage;
  if (options.sandbox === 'process') {
    return processes(
      options,
      image,
      'Agents run as plain processes, as configured: nothing protects this host from them.',
    );
  }
  const gaps: string[] = [];
  const warn = (message: string) => {
    log.warn(message);
    if (message.startsWith('docker: ')) gaps.push(message.slice(0, 500));
  };
  const docker = new DockerContainerEngine({
    ...{ image, warn, mountRoots: await mountRoots(options.dataDir) },
    allowedImages: [OWN_BUILDS, ...(options.allowImages ?? [])],
  });
  try {
    const { version } = await docker.check();
    log.info('agents run in Docker', { version, image });
    const warnings = [...new Set(gaps)].slice(0, 16);
    return { containers: docker, image, engineVersion: engineVersionOf(image), warnings };
  } catch (error) {
    await docker.close();
    if (options.sandbox === 'docker') throw new SandboxMissing(error);
    const warning =
      'Agents run as plain processes: nothing protects this host from them. ' +
      `Docker is not usable (${messageOf(error)}). Start it, run npm run sandbox:build, and start the runner again.`;
    log.warn(warning);
    return processes(options, image, warning);
  }
}

/** Where workspaces, objects, homes and access folders lie; see attempt-proxies.ts for the second. */
async function mountRoots(dataDir: string): Promise<string[]> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const path = await realpath(dataDir);
  return [path, accessRoot(path)];
}

function processes(options: RunOptions, image: string, warning: string): ChosenSandbox {
  const containers = new ProcessContainerEngine({
    registryFolder: join(options.dataDir, 'processes'),
  });
  const warnings = [warning.slice(0, 500)];
  return { containers, image, engineVersion: hostEngineVersion(), warnings };
}
