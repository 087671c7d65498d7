import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startControlPlane } from '../../../control-plane/src/platform/node/start-control-plane.ts';
import { type RawAnswer, rawRequest, type RawRequest } from './raw-request.ts';

const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

export type Plane = Awaited<ReturnType<typeof startPlane>>;

/** A real control plane that listens on a port of its own, for callers that may come in or not. */
export async function startPlane(env: Record<string, string>, folder?: string) {
  const dataDir = folder ?? (await mkdtemp(join(tmpdir(), 'switchyard-callers-')));
  const running = await startControlPlane({
    host: '127.0.0.1',
    port: 0,
    dataDir,
    env,
    baseFile: null,
    logger: quiet,
  });
  const port = Number(new URL(running.url).port);
  return {
    ...running,
    dataDir,
    port,
    /** What the command line shows; an empty text where there is none. */
    localSecret: async () =>
      (await readFile(join(dataDir, 'local-secret'), 'utf8').catch(() => '')).trim(),
    ask: (asked: Omit<RawRequest, 'port'>): Promise<RawAnswer> => rawRequest({ port, ...asked }),
    async close() {
      await running.stop();
      if (folder === undefined) await rm(dataDir, { recursive: true, force: true });
    },
  };
}
