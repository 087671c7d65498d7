import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { MAX_BLOB_BYTES } from '@switchyard/shared/protocol/limits';
import { PLATFORM_SETTINGS } from '../contracts/describe-platform.ts';
import { startSqld } from '../support/sqld/start-sqld.ts';
import { openBlobRoute } from '../support/workerd/blob-route.ts';
import { type EdgeDev, startEdgeDev } from '../support/workerd/edge-dev.ts';
import { largeBlob } from '../support/workerd/large-blob.ts';

const MIB = 1_048_576;
const GOAL_MIB = 24;
const SAMPLE_EVERY_MS = 20;

/** Most memory of the runtime while the largest blob is stored and read back, above before, MiB. */
export async function measureEdgeBlob(): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'swy-bench-blob-'));
  const sqld = await startSqld();
  let edge: EdgeDev | null = null;
  try {
    edge = await startEdgeDev({
      dataDir: folder,
      args: ['--database', sqld.url, '--no-runner'],
      env: { ...PLATFORM_SETTINGS, SERVICE_DATABASE_TOKEN: sqld.token },
    });
    const route = await openBlobRoute(edge);
    // What a runtime takes for the first megabytes it keeps.
    await route.put('small', new Uint8Array(2 * MIB));
    await route.digestOf('small');
    const bytes = largeBlob();
    const before = await edge.runtimeBytes();
    const most = await mostWhile(edge, async () => {
      await route.put('large', bytes);
      await route.digestOf('large');
    });
    route.close();
    return (most - before) / MIB;
  } finally {
    await edge?.kill();
    await sqld.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function mostWhile(edge: EdgeDev, work: () => Promise<void>): Promise<number> {
  let most = 0;
  let isDone = false;
  const watching = (async () => {
    while (!isDone) {
      most = Math.max(most, await edge.runtimeBytes());
      await delay(SAMPLE_EVERY_MS);
    }
  })();
  await work().finally(() => (isDone = true));
  await watching;
  return most;
}

export function blobRow(riseMib: number): [what: string, value: string] {
  const verdict = riseMib <= GOAL_MIB ? 'met' : 'missed';
  return [
    `edge: memory while ${MAX_BLOB_BYTES / MIB} MiB pass (goal ${GOAL_MIB} MiB or less: ${verdict})`,
    `${Math.round(riseMib)} MiB`,
  ];
}
