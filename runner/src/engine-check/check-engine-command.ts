import { chmod, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WireApi } from '@switchyard/shared/model-providers/wire-api';
import type { ContainerEngine } from '../container/container-engine.ts';
import { DockerContainerEngine } from '../container/docker/docker-engine.ts';
import { defaultSandboxImage } from '../container/docker/image/default-sandbox-image.ts';
import { ProcessContainerEngine } from '../container/process/process-engine.ts';
import type { ConfiguredAgent } from '../engine/acp/profiles/configured/configured-agents.ts';
import { enginesWith } from '../engine/engines.ts';
import type { SandboxChoice } from '../run-options.ts';
import { runChecks } from './run-checks.ts';
import { UnknownEngine } from './unknown-engine.ts';

const MODEL = 'scripted-model';

/**
 * Checks one agent against the contract of engines and prints a JSON object per line: first where
 * it runs, then each result. Resolves with whether it passed everything that it offers.
 *
 * @throws UnknownEngine
 */
export async function checkEngineCommand(
  name: string,
  options: {
    /** Base address of a provider that follows the script, ending in `/v1`. */
    provider: string;
    agents: readonly ConfiguredAgent[];
    wireApi?: WireApi;
    sandbox: SandboxChoice;
    image?: string;
  },
  print: (line: string) => void,
): Promise<boolean> {
  const engines = enginesWith(options.agents);
  const engine = engines.find((one) => one.name === name);
  if (engine === undefined) {
    throw new UnknownEngine(
      name,
      engines.map((one) => one.name),
    );
  }
  const image = options.image ?? defaultSandboxImage;
  // Short, because it contains sockets, whose paths have at most about 100 bytes.
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'swy-check-')));
  let containers: ContainerEngine | null = null;
  let passed = true;
  try {
    await chmod(folder, 0o755);
    containers = await chooseContainers(options.sandbox, image, folder);
    const wireApi = options.wireApi ?? engine.capabilities.wireApis[0] ?? 'responses';
    print(JSON.stringify({ engine: name, isolation: containers.isolation, wireApi }));
    const target = { engine, model: MODEL, providerUrl: options.provider, wireApi };
    for await (const result of runChecks({ ...target, containers, image, folder })) {
      if (result.status === 'failed') passed = false;
      print(JSON.stringify(result));
    }
  } finally {
    await containers?.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
  return passed;
}

/** Docker if it is usable or required; plain processes otherwise. */
async function chooseContainers(
  sandbox: SandboxChoice,
  image: string,
  folder: string,
): Promise<ContainerEngine> {
  if (sandbox !== 'process') {
    const docker = new DockerContainerEngine({ image, mountRoots: [folder] });
    try {
      await docker.check();
      return docker;
    } catch (error) {
      await docker.close();
      if (sandbox === 'docker') throw error;
    }
  }
  return new ProcessContainerEngine({ registryFolder: join(folder, 'processes') });
}
