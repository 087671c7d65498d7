import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import type { CommandSpec, EngineContainer, EngineContainerSpec } from '../../container-engine.ts';
import { attemptMarker } from '../attempt-environment.ts';
import { ProcessContainerEngine } from '../process-engine.ts';
import { findMarked } from '../process-identity.ts';

export const runnerId = `test-${randomUUID().slice(0, 8)}`;
const resources = { memoryBytes: 1e9, cpus: 1, pids: 100, tmpfsBytes: 1e6 };

export const sh = (script: string): string[] => ['sh', '-c', script];

/**
 * Gives each test of a file its own `ProcessContainerEngine` and folder. After the test, all that
 * the container engine started is stopped.
 */
export function useProcessEngine() {
  const rig = {
    folder: '',
    engine: null as unknown as ProcessContainerEngine,
    newEngine: () => new ProcessContainerEngine({ registryFolder: join(rig.folder, 'launches') }),
    spec: (argv: string[], changes: Partial<EngineContainerSpec> = {}): EngineContainerSpec => {
      const attemptId = `a${randomUUID().slice(0, 8)}`;
      const { folder } = rig;
      return {
        owner: { runnerId, attemptId, epoch: 1, bootId: 'boot' },
        image: 'none',
        argv,
        env: { HOME: folder, GIVEN: 'yes' },
        workingDirectory: folder,
        mounts: [{ hostPath: folder, containerPath: folder, readOnly: false }],
        resources,
        proxy: { socketFolder: folder, hostPort: 1 },
        stateFolder: join(folder, attemptId),
        ...changes,
      };
    },
    command: (argv: string[], changes: Partial<CommandSpec> = {}): CommandSpec => {
      const { owner, env, workingDirectory, mounts } = rig.spec([]);
      return {
        owner,
        image: 'none',
        argv,
        env,
        workingDirectory,
        mounts,
        resources,
        purpose: 'test',
        timeoutMs: 20_000,
        maxOutputBytes: 1e6,
        ...changes,
      };
    },
  };
  beforeEach(async () => {
    rig.folder = await mkdtemp(join(tmpdir(), 'swy-process-'));
    rig.engine = rig.newEngine();
  });
  afterEach(async () => {
    for (const container of await rig.engine.list(runnerId)) {
      await container.stop(0);
      await container.remove();
    }
    await rig.engine.close();
    await rm(rig.folder, { recursive: true, force: true });
  });
  return rig;
}

/** Standard output until `enough` or the end. */
export async function read(
  container: EngineContainer,
  fromByte = 0,
  enough?: (text: string) => boolean,
): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of container.stdout(fromByte, AbortSignal.timeout(20_000))) {
    chunks.push(chunk);
    if (enough?.(Buffer.concat(chunks).toString())) break;
  }
  return Buffer.concat(chunks).toString();
}

/** No process of it is left. */
export async function gone(wanted: EngineContainerSpec): Promise<void> {
  await expect.poll(() => findMarked(attemptMarker(wanted.owner))).toEqual([]);
}
